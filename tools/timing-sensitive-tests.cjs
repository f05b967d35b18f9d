'use strict';
// The tests that compare wall-clock times. They are the Jest project `timing`: they run sequentially, after all others,
// so that nothing of our own competes with them. A test belongs here if it verifies an upper bound on time. These do
// not count: a timeout that only ends a hanging test; fastestMilliseconds of the testkit, which repeats the work until
// a run was undisturbed; the order of timers, which a busy machine does not change.
// tools/timing-sensitive-tests.spec.ts ensures that the list is complete.
module.exports = [
  'apps/issuer/src/adapters/keys/remote-issuer-key.spec.ts',
  'e2e/src/expiry.e2e-spec.ts',
  'e2e/src/status-lists.e2e-spec.ts',
  'libs/dev/testkit/src/fastest.spec.ts',
];
