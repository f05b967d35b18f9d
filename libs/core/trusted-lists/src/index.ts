export { exchangeableLists, keyOfList, type ListAmongOthers } from './exchangeable-lists';
export { TRUSTED_LIST_FAILURES, trustedListFailure } from './failures';
export { profileOfDescription, type ListDescription, type ListProfile } from './list-profile';
export * from './list-in-use';
export { listedAnchors, type ListedAnchors, type ListUse } from './listed-anchors';
export { MAX_LIST_BYTES } from './parse-signed-list';
export type { ListVersion } from './trusted-list';
export { verifyTrustedList, type TrustedListRules, type VerifiedList } from './verify-trusted-list';
