export { createEgress, type Egress, type EgressOptions, type EgressResponse, type GetOptions } from './egress';
export { EGRESS_FAILURES, RedirectedFailure, type EgressFailureCode } from './failures';
export * from './followed-documents';
export { createKeptCopy, type KeptCopy } from './kept-copy';
export { isPublicAddress } from './public-address';
export { requireContent } from './require-content';
export type { Resolve } from './resolve-host';
export * from './token-cache';
