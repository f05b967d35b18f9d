'use strict';
// `npm run fuzz` asks for more runs of each property than a test usually makes.
const runs = Number(process.env.FUZZ_RUNS);
if (runs > 0) require('fast-check').configureGlobal({ numRuns: runs });
