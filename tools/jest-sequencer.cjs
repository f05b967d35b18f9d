'use strict';
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const root = path.resolve(__dirname, '..');
/**
 * The slowest files, by the table at the end of `.ci/run`: a fresh clone has no timings, and Jest would sort by size.
 */
const LONGEST = [
  'e2e/src/hostile-documents.e2e-spec.ts',
  'e2e/src/interrupted-presentations.e2e-spec.ts',
  'e2e/src/callbacks.e2e-spec.ts',
  'libs/core/oid4vp/src/verify-presentation.fuzz-spec.ts',
  'libs/core/x509-trust/src/chain-cost.spec.ts',
  'libs/core/x509-trust/src/certificate.fuzz-spec.ts',
  'e2e/src/wallet-command.e2e-spec.ts',
  'e2e/src/restart.e2e-spec.ts',
  'e2e/src/unavailable.e2e-spec.ts',
  'e2e/src/wallet-isolation.e2e-spec.ts',
  'e2e/src/callback-ends.e2e-spec.ts',
];
const KINDS = ['.e2e-spec.ts', '.int-spec.ts'];

function rankOf(file) {
  const place = LONGEST.indexOf(path.relative(root, file).split(path.sep).join('/'));
  if (place !== -1) return place;
  const kind = KINDS.findIndex((ending) => file.endsWith(ending));
  return LONGEST.length + (kind === -1 ? KINDS.length : kind);
}

/** Slow files first, so that no worker is left alone with one at the end: end-to-end, integration, then the others. */
module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rankOf(one.path) - rankOf(other.path));
  }
};
module.exports.LONGEST = LONGEST;
