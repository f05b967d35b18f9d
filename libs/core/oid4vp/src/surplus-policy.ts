/**
 * What happens to claims and credentials that were not requested: they count as not presented, they fail the answer, or
 * they are delivered like the others. They are verified and counted in any case.
 */
export const SURPLUS_POLICIES = ['drop', 'refuse', 'deliver'] as const;
export type SurplusPolicy = (typeof SURPLUS_POLICIES)[number];
