import type { Ending } from './suite';

/** A result that is known, and why it is no fault. */
export interface Known {
  /** The end of its name. */
  readonly module: string;
  /** The beginning of its status and result. */
  readonly result: string;
  readonly reason: string;
}

/** How a module ended, beside what the verifier told its backend, if it was one of the verifier. */
export interface Row extends Pick<Ending, 'status' | 'result'> {
  readonly module: string;
  readonly verdict?: string;
}

const AT_PAR =
  'the module expects the refusal at the PAR endpoint: with a pre-authorized code it takes the right one for a fault';
const REFUSED_AT_TOKEN = [
  'fail-invalid-client-attestation-pop-signature',
  'fail-client-attestation-exp-in-past',
  'fail-client-attestation-no-sub',
  'fail-client-attestation-pop-wrong-aud',
];

/** Of every issuer plan with pre-authorized codes. */
export const KNOWN_OF_ISSUERS: readonly Known[] = [
  ...REFUSED_AT_TOKEN.map((module) => ({ module, result: 'INTERRUPTED FAILED', reason: AT_PAR })),
  {
    module: 'fail-invalid-client-attestation-signature',
    result: 'INTERRUPTED',
    reason: 'the module has seen the right refusal, and then goes on without a token',
  },
];

export const KNOWN_WITHOUT_ENCRYPTION: Known = {
  module: 'fail-unsupported-encryption-algorithm',
  result: 'FINISHED SKIPPED',
  reason: 'it is for encrypted responses',
};

const isNegative = (module: string) => /-(?:invalid|kb-jwt-iat)-/.test(module);

/** What is known about a module of a plan. */
export const knownOf = (module: string, known: readonly Known[]): Known | undefined =>
  known.find((one) => module.endsWith(one.module));

/** What is not as it must be, also of what a review of screenshots would show; undefined if nothing is. */
export function faultOf(row: Row, known: readonly Known[]): string | undefined {
  const result = `${row.status} ${row.result}`;
  const expected = knownOf(row.module, known);
  if (expected)
    return result.startsWith(expected.result) ? undefined : `${row.module}: ${result} instead of ${expected.result}`;
  if (row.verdict === undefined) return result === 'FINISHED PASSED' ? undefined : `${row.module}: ${result}`;
  const wanted = isNegative(row.module) ? 'VERIFICATION_FAILED' : 'FULFILLED';
  if (row.verdict !== wanted) return `${row.module}: the backend is told ${row.verdict} instead of ${wanted}`;
  return ['FINISHED PASSED', 'FINISHED REVIEW'].includes(result) ? undefined : `${row.module}: ${result}`;
}
