'use strict';
// Core modules are shared by all suites of a worker: on Node 20 every AsyncLocalStorage that was ever entered keeps hooking
// each promise, so every suite slowed down all later ones, and kept its modules in memory.
const { AsyncLocalStorage } = require('node:async_hooks');

const entered = new Set();
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...parameters) {
    entered.add(this);
    return original.apply(this, parameters);
  };
}

/** Lets go of every storage that was entered. */
function leaveStorages() {
  for (const storage of entered) storage.disable();
  entered.clear();
}

module.exports = { leaveStorages };
