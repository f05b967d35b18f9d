/**
 * Injection tokens of the issuer's adapters, settings and shared steps; a use case is provided under the function that
 * makes it.
 */
export const TYPES = Symbol('types');
export const ISSUER_KEYS = Symbol('issuer keys');
export const ACCESS_KEY = Symbol('access key');
export const EGRESS = Symbol('egress');
export const ATTESTERS = Symbol('attesters');
export const ATTESTATION_STATUS = Symbol('status of attestations');
export const KEYS = Symbol('keys');
export const SETTINGS = Symbol('settings');
export const REPORTS = Symbol('reports');
export const OFFERS = Symbol('offers');
export const OFFER_LIST = Symbol('list of offers');
export const CHANGES = Symbol('changes');
export const REDEMPTIONS = Symbol('redemptions');
export const ISSUANCES = Symbol('issuances');
export const STATUS_LISTS = Symbol('status lists');
export const HOLD = Symbol('hold');
export const SWEEP = Symbol('sweep');
export const WATCH = Symbol('watch');
