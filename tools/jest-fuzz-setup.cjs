'use strict';
// `npm run fuzz` sets more runs per property than a test usually makes.
const runs = Number(process.env.FUZZ_RUNS);
if (runs > 0) require('fast-check').configureGlobal({ numRuns: runs });
