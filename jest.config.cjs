'use strict';
const os = require('node:os');
const path = require('node:path');
const fullRunTests = Object.keys(require('./tools/full-run-tests.cjs'));
const timingSensitive = require('./tools/timing-sensitive-tests.cjs');

const shared = {
  rootDir: __dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/e2e', '<rootDir>/tools'],
  testEnvironment: '<rootDir>/tools/jest-context-environment.cjs',
  transform: { '\\.(ts|m?js)$': path.join(__dirname, 'tools/jest-transform.cjs') },
  transformIgnorePatterns: [],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/tools/jest-fast-check.cjs' },
  setupFiles: ['reflect-metadata'],
};
/** Files of one worker share its realm and its packages, which takes two fifths less of the processors. */
const inOneRealm = {
  testEnvironment: '<rootDir>/tools/jest-environment.cjs',
  runtime: '<rootDir>/tools/jest-runtime.cjs',
};
const withServers = {
  globalSetup: '<rootDir>/tools/jest-global-setup.cjs',
  globalTeardown: '<rootDir>/tools/jest-global-teardown.cjs',
};
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const elsewhere = [...timingSensitive, ...fullRunTests].map((file) => `^${escaped(path.join(__dirname, file))}$`);

/** Jest takes every word after `--selectProjects` for a project, and paths among them for nothing: all tests would run. */
function refuseSwallowedPaths(argv, names) {
  const at = argv.indexOf('--selectProjects');
  const end = argv.findIndex((argument, index) => index > at && argument.startsWith('-'));
  const given = at === -1 ? [] : argv.slice(at + 1, end === -1 ? undefined : end);
  const swallowed = given.filter((name) => !names.includes(name));
  if (swallowed.length === 0) return;
  throw new Error(`put ${swallowed.join(' ')} before --selectProjects: after it come only ${names.join(', ')}`);
}
refuseSwallowedPaths(process.argv, ['unit', 'integration', 'e2e', 'timing', 'full']);

/**
 * `unit` needs nothing; `integration` and `e2e` get a real Postgres and a real NATS from their global set-up. `timing`
 * has the tests of all three that compare times: `npm test` runs it last and one file at a time. `full` has those of all
 * three that only `.ci/full` and `npm run test:full` run.
 */
module.exports = {
  // One more than there are processors, for end-to-end tests also wait for timers; each stack is five processes of its own,
  // and more of them at a time than this only wait for each other.
  maxWorkers: Math.min(os.availableParallelism() + 1, 4),
  // It only ends what hangs: a busy machine is slow.
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/tools/jest-exit-reporter.cjs'],
  testSequencer: '<rootDir>/tools/jest-sequencer.cjs',
  projects: [
    {
      ...shared,
      ...inOneRealm,
      displayName: 'unit',
      testMatch: ['**/*.spec.ts', '**/*.fuzz-spec.ts'],
      testPathIgnorePatterns: elsewhere,
    },
    {
      ...shared,
      ...inOneRealm,
      ...withServers,
      displayName: 'integration',
      testMatch: ['**/*.int-spec.ts'],
      testPathIgnorePatterns: elsewhere,
    },
    {
      ...shared,
      ...inOneRealm,
      ...withServers,
      displayName: 'e2e',
      testMatch: ['**/*.e2e-spec.ts'],
      testPathIgnorePatterns: elsewhere,
    },
    {
      ...shared,
      ...withServers,
      displayName: 'timing',
      testMatch: timingSensitive.map((file) => `<rootDir>/${file}`),
    },
    {
      ...shared,
      ...inOneRealm,
      ...withServers,
      displayName: 'full',
      testMatch: fullRunTests.map((file) => `<rootDir>/${file}`),
    },
  ],
};
