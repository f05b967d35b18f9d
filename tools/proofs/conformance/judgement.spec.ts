import { faultOf, KNOWN_OF_ISSUERS, KNOWN_WITHOUT_ENCRYPTION, type Row } from './judgement';

const verifier = (module: string, result: string, verdict: string): Row => ({
  module: `oid4vp-1final-verifier-${module}`,
  status: 'FINISHED',
  result,
  verdict,
});
const issuer = (module: string, status: string, result: string): Row => ({
  module: `oid4vci-1_0-issuer-${module}`,
  status,
  result,
});

describe('faultOf', () => {
  it.each([
    verifier('happy-flow', 'REVIEW', 'FULFILLED'),
    verifier('request-uri-fetched-twice', 'PASSED', 'FULFILLED'),
    verifier('invalid-sd-hash', 'PASSED', 'VERIFICATION_FAILED'),
    verifier('kb-jwt-iat-in-past', 'REVIEW', 'VERIFICATION_FAILED'),
  ])('takes %j', (row) => {
    expect(faultOf(row, [])).toBeUndefined();
  });

  it.each([
    verifier('happy-flow', 'REVIEW', 'VERIFICATION_FAILED'),
    verifier('happy-flow', 'WARNING', 'FULFILLED'),
    verifier('request-uri-method-post', 'SKIPPED', 'PENDING'),
    verifier('invalid-credential-signature', 'PASSED', 'FULFILLED'),
    verifier('kb-jwt-iat-in-future', 'REVIEW', 'FULFILLED'),
    issuer('happy-flow', 'FINISHED', 'WARNING'),
    issuer('happy-flow', 'INTERRUPTED', 'PASSED'),
  ])('names %j', (row) => {
    expect(faultOf(row, [])).toContain(row.module);
  });

  it('takes a known result alone for a module that has one', () => {
    const known = [...KNOWN_OF_ISSUERS, KNOWN_WITHOUT_ENCRYPTION];
    const skipped = issuer('fail-unsupported-encryption-algorithm', 'FINISHED', 'SKIPPED');
    const late = issuer('fail-client-attestation-no-sub', 'INTERRUPTED', 'FAILED');
    const interrupted = issuer('fail-invalid-client-attestation-signature', 'INTERRUPTED', 'FAILED');
    expect([skipped, late, interrupted].map((row) => faultOf(row, known))).toEqual([undefined, undefined, undefined]);
    expect(faultOf({ ...skipped, result: 'PASSED' }, known)).toContain('instead of FINISHED SKIPPED');
    expect(faultOf({ ...late, status: 'FINISHED' }, known)).toContain('instead of INTERRUPTED FAILED');
    expect(faultOf({ ...interrupted, status: 'FINISHED' }, known)).toContain('instead of INTERRUPTED');
    expect(faultOf(issuer('fail-missing-proof', 'INTERRUPTED', 'FAILED'), known)).toBeDefined();
  });
});
