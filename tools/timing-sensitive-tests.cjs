'use strict';
// The tests that compare times on the clock. They are the Jest project `timing`: they run one after the other, when all
// others are done, so that nothing of our own competes with them. A test belongs here when an upper bound on time is
// what it shows; a time-out that only ends a test that hangs is no such bound, nor is fastestMilliseconds of the testkit,
// which repeats the work until a run was undisturbed, nor the order of timers, which a busy machine does not change.
// tools/timing-sensitive-tests.spec.ts holds the list complete.
module.exports = [
  'apps/issuer/src/adapters/keys/remote-issuer-key.spec.ts',
  'e2e/src/expiry.e2e-spec.ts',
  'e2e/src/status-lists.e2e-spec.ts',
  'libs/dev/testkit/src/fastest.spec.ts',
];
