'use strict';
// Jest's Node environment, without leaking AsyncLocalStorage. Core modules are shared by all suites of a worker: on
// Node 20 every AsyncLocalStorage that was ever entered keeps hooking each promise, so every suite slowed down all
// later ones, and kept its modules in memory.
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
