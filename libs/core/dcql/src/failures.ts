import { failureFamily } from '@vestibule/foundation';

/** Why a wallet's answer does not satisfy the query. */
export const DCQL_FAILURES = {
  vp_token_malformed: {
    section: 'OpenID4VP 1.0 §8.1',
    meaning: 'vp_token is not a JSON object',
    remedy: 'the wallet must send an object that maps credential ids to arrays of presentations',
  },
  credential_not_requested: {
    section: 'OpenID4VP 1.0 §8.1',
    meaning: 'vp_token has an entry whose name is not a credential id of the query',
    remedy: 'the wallet must name its entries after the credential queries',
  },
  presentations_malformed: {
    section: 'OpenID4VP 1.0 §8.1',
    meaning: 'an entry of vp_token is not a non-empty array',
    remedy: 'the wallet must send an array for each credential query, even for one presentation',
  },
  presentation_malformed: {
    section: 'OpenID4VP 1.0 §8.1, appendix B.3',
    meaning: 'a presentation is not a compact SD-JWT',
    remedy: 'the wallet must send each presentation as a string in compact serialization',
  },
  too_many_presentations: {
    section: 'OpenID4VP 1.0 §8.1',
    meaning: 'more presentations were sent than the query allows',
    remedy: 'set multiple in the credential query to allow several presentations',
  },
  credential_missing: {
    section: 'OpenID4VP 1.0 §6.4.2',
    meaning: 'a requested credential was not presented',
    remedy: 'create a new request, or make the credential optional with credential_sets',
  },
  credential_set_unsatisfied: {
    section: 'OpenID4VP 1.0 §6.4.2',
    meaning: 'no option of a required credential set was presented completely',
    remedy: 'create a new request, or add options to the credential set',
  },
  vct_not_requested: {
    section: 'OpenID4VP 1.0 appendix B.3.5',
    meaning: 'the credential is of a type that was not requested',
    remedy: 'add the type to vct_values, or configure it as a subtype',
  },
  authority_not_trusted: {
    section: 'OpenID4VP 1.0 §6.1.1.1',
    meaning: 'no certificate of the credential was issued by a requested authority',
    remedy: 'to accept its credentials, add the authority key identifier to trusted_authorities',
  },
  claim_missing: {
    section: 'OpenID4VP 1.0 §6.4.1, §7.1.1',
    meaning: 'a requested claim was not disclosed',
    remedy: 'create a new request, or offer alternatives with claim_sets',
  },
  claim_value_not_accepted: {
    section: 'OpenID4VP 1.0 §6.3, §6.4.1',
    meaning: 'a claim has none of the requested values',
    remedy: 'wallets may ignore values; the credential does not fulfil the query',
  },
  selection_too_large: {
    section: 'OpenID4VP 1.0 §7.1.1',
    meaning: 'the claims paths of the query select too many elements',
    remedy: 'if credentials may have long arrays, use fewer paths or fewer null components',
  },
  claim_set_unsatisfied: {
    section: 'OpenID4VP 1.0 §6.4.1',
    meaning: 'no claim set was disclosed completely with requested values',
    remedy: 'create a new request, or add alternatives to claim_sets',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly dcql: typeof DCQL_FAILURES;
  }
}

export const dcqlFailure = failureFamily(DCQL_FAILURES);
