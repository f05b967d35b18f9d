'use strict';
const path = require('node:path');

const shared = {
  rootDir: __dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/e2e', '<rootDir>/tools'],
  testEnvironment: 'node',
  transform: { '\\.(ts|m?js)$': path.join(__dirname, 'tools/jest-transform.cjs') },
  transformIgnorePatterns: [],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  setupFiles: ['reflect-metadata', '<rootDir>/tools/jest-fuzz-setup.cjs'],
};

/** `unit` needs nothing; `integration` and `e2e` get a real Postgres and a real NATS from their global set-up. */
module.exports = {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['**/*.spec.ts', '**/*.fuzz-spec.ts'] },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['**/*.int-spec.ts'],
      globalSetup: '<rootDir>/tools/jest-global-setup.cjs',
      globalTeardown: '<rootDir>/tools/jest-global-teardown.cjs',
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/tools/jest-global-setup.cjs',
      globalTeardown: '<rootDir>/tools/jest-global-teardown.cjs',
    },
  ],
};
