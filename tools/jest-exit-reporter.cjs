'use strict';
const SECONDS = 60;

/** Describes what keeps the process from ending: sockets with their addresses, servers, child processes. */
function describeHandles() {
  // There is no public API that reveals more than the kind of each handle.
  const handles = process._getActiveHandles().map((handle) => {
    const name = handle.constructor.name;
    if (handle.spawnargs) return `${name} ${handle.pid} (${handle.spawnargs.slice(0, 4).join(' ')})`;
    const address = handle.remotePort ? `${handle.remoteAddress}:${handle.remotePort}` : handle.address?.()?.port;
    return address ? `${name} (${address})` : name;
  });
  return [...handles, ...process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')];
}

/**
 * The last resort against a run that does not end because a test left something open. The run fails, because that is a
 * fault of the test, and reports what is open. The timer itself does not keep the process alive: it fires only if
 * something else does.
 */
module.exports = class {
  constructor(globalConfig, { seconds = SECONDS } = {}) {
    this.watch = globalConfig.watch || globalConfig.watchAll;
    this.seconds = seconds;
  }

  onRunComplete() {
    if (this.watch) return;
    const giveUp = () => {
      const open = describeHandles().join('\n  ');
      process.stderr.write(
        `\nA test left something open; ${this.seconds} s after the last one it is still:\n  ${open}\n`,
      );
      process.exit(1);
    };
    setTimeout(giveUp, this.seconds * 1000).unref();
  }
};
