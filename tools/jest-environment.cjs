'use strict';
// Runs test files in the realm of their worker instead of a context of `node:vm` for each. In such a context every use of a
// global is a call into a proxy, and packages load again for each file: two fifths of the processor time of the unit tests
// went there. `jest-runtime.cjs` gives each file instances of our own modules, and `jest-realm.cjs` undoes what it changes.
const { appendFileSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { PROCESS_REALM } = require('./jest-compiled-modules.cjs');
const { leaveStorages } = require('./jest-entered-storages.cjs');
const { rememberRealm } = require('./jest-realm.cjs');

const BEFORE_FAKE_TIMERS =
  'Jest itself would get the fake timers, too: begin the file with /** @jest-environment ./tools/jest-context-environment.cjs */';

/** Fake timers are for files in a context of their own. */
const refusing = (FakeTimers) =>
  class extends FakeTimers {
    useFakeTimers() {
      throw new Error(BEFORE_FAKE_TIMERS);
    }
  };
const [RefusedTimers, RefusedLegacyTimers] = [ModernFakeTimers, LegacyFakeTimers].map(refusing);

const timerConfig = {
  idToRef: (id) => ({ id, ref: () => undefined, unref: () => undefined }),
  refToId: (timer) => timer?.id,
};

/** Where each file's processor time goes, if at all: lines of JSON, with the time of processes that it started and that ended. */
const times = process.env.JEST_PROCESSOR_TIMES;
const root = path.resolve(__dirname, '..');
/** Linux counts hundredths of seconds in the 16th and 17th field; elsewhere nobody says it. */
function secondsOfChildren() {
  try {
    const [, rest] = readFileSync('/proc/self/stat', 'latin1').split(/\) (?!.*\) )/s);
    const fields = rest.split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
function secondsOfAll() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + secondsOfChildren();
}

module.exports = class {
  constructor({ projectConfig }, { testPath }) {
    this.before = times === undefined ? 0 : secondsOfAll();
    this.testPath = testPath;
    this.restoreRealm = rememberRealm();
    this.global = globalThis;
    this.context = PROCESS_REALM;
    this.moduleMocker = new ModuleMocker(globalThis);
    const config = { config: projectConfig, global: globalThis };
    this.fakeTimers = new RefusedLegacyTimers({ ...config, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new RefusedTimers(config);
  }

  async setup() {}

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.context;
  }

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    leaveStorages();
    this.restoreRealm();
    this.context = null;
    if (times === undefined || path.relative(root, this.testPath).startsWith('..')) return;
    const seconds = secondsOfAll() - this.before;
    appendFileSync(times, `${JSON.stringify({ file: this.testPath, seconds })}\n`);
  }
};
