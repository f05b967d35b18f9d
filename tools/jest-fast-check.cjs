'use strict';
// What tests get as `fast-check`, so that only files which use it load it. With FUZZ_TIMES, as `npm run fuzz` sets it, each
// property makes so many times its usual runs. The configuration of fast-check could not do that: a number that a property
// states goes before it.
const fastCheck = require('../node_modules/fast-check/lib/cjs/fast-check.js');

/** Runs of a property that states no number. */
const USUAL_RUNS = 100;
const times = Number(process.env.FUZZ_TIMES);

function withMoreRuns(property, parameters = {}) {
  return fastCheck.assert(property, { ...parameters, numRuns: (parameters.numRuns ?? USUAL_RUNS) * times });
}

// With every name of its own: tests import it whole or as the default.
const extended = { ...fastCheck, assert: withMoreRuns };

module.exports = times > 1 ? { ...extended, default: extended } : fastCheck;
