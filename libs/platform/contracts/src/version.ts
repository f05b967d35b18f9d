/**
 * The contract version of the questions that this program asks. It is raised only by a change that is not additive
 * (docs/bus.md defines which are): `tools/contracts.spec.ts` compares the contracts with
 * libs/platform/contracts/versions.
 */
export const CONTRACT_VERSION = 1;

/**
 * The oldest contract version of a question that is still understood. A service answers gateways from this version to
 * {@link CONTRACT_VERSION}; the snapshots of all of them are kept.
 */
export const OLDEST_CONTRACT_VERSION = 1;
