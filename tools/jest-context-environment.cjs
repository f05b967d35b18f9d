'use strict';
// Jest's Node environment: a context of `node:vm` for each test file.
require('./jest-compiled-modules.cjs');
const { TestEnvironment } = require('jest-environment-node');
const { leaveStorages } = require('./jest-entered-storages.cjs');

module.exports = class extends TestEnvironment {
  async teardown() {
    leaveStorages();
    await super.teardown();
  }
};
