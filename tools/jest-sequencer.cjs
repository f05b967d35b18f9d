'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

const KINDS = ['.e2e-spec.ts', '.int-spec.ts'];
const rankOf = ({ path }) => {
  const rank = KINDS.findIndex((ending) => path.endsWith(ending));
  return rank === -1 ? KINDS.length : rank;
};

/** The long ones first, so that at the end no worker is left alone with one: end-to-end, integration, then the others. */
module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
  }
};
