'use strict';
// Node's environment of Jest, which leaves no AsyncLocalStorage behind. Core modules are one for all suites of a worker: on
// Node 20 every AsyncLocalStorage that was ever entered goes on hooking each promise, so that every suite made all later ones
// slower, and kept its modules in memory.
require('./jest-compiled-modules.cjs');
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

const entered = new Set();
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...parameters) {
    entered.add(this);
    return original.apply(this, parameters);
  };
}

module.exports = class extends TestEnvironment {
  async teardown() {
    for (const storage of entered) storage.disable();
    entered.clear();
    await super.teardown();
  }
};
