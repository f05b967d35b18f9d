'use strict';
const SECONDS = 60;

/** What still keeps the process from ending, in words: sockets with their addresses, servers, child processes. */
function describeHandles() {
  // There is no public way to learn more than the kind of each handle.
  const handles = process._getActiveHandles().map((handle) => {
    const name = handle.constructor.name;
    if (handle.spawnargs) return `${name} ${handle.pid} (${handle.spawnargs.slice(0, 4).join(' ')})`;
    const address = handle.remotePort ? `${handle.remoteAddress}:${handle.remotePort}` : handle.address?.()?.port;
    return address ? `${name} (${address})` : name;
  });
  return [...handles, ...process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')];
}

/**
 * The last resort against a run that does not end: something that a test left open holds the process. The run fails, for
 * that is a fault of the test, and says what is open. The timer holds nothing itself: it only fires where something does.
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
