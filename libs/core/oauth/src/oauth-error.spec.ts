import fc from 'fast-check';
import {
  DomainError,
  ERROR_KINDS,
  OAUTH_ERRORS,
  oauthErrorStatus,
  toErrorDescription,
  type OAuthErrorCode,
} from '@vestibule/foundation';
import { joseFailure } from '@vestibule/crypto';
import { OAuthError, REFUSAL_REASONS, type RefusalReason } from './index';

const DESCRIPTION = /^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/;
const codes = Object.keys(OAUTH_ERRORS) as OAuthErrorCode[];

describe('OAuthError', () => {
  it.each(codes)('VCI:J16 %s has a kind, a status and a description of the allowed characters', (code) => {
    const error = new OAuthError(code, 'typ_wrong');
    expect(error).toBeInstanceOf(DomainError);
    expect(ERROR_KINDS).toContain(error.kind);
    expect(error.code).toBe(code);
    expect(error.detail).toMatch(DESCRIPTION);
    expect(Object.values(OAUTH_ERRORS[code].statuses).length).toBeGreaterThan(0);
  });

  it('VCI:J16 keeps the reason apart from what the wallet reads', () => {
    const error = new OAuthError('invalid_proof', 'proof_aud_mismatch');
    expect(error.reason).toBe('proof_aud_mismatch');
    expect(error.detail).toBe(OAUTH_ERRORS.invalid_proof.meaning);
    expect(error.message).not.toContain('aud');
  });

  it.each([
    ['tx_code_missing', 'a transaction code is required: send it as tx_code'],
    ['tx_code_unexpected', 'this offer has no transaction code: repeat the request without tx_code'],
    ['tx_code_wrong', 'the transaction code is wrong: it may be entered again'],
    ['tx_code_attempts_exceeded', 'the transaction code was wrong too often: a new offer is needed'],
  ] as const)('17.13 tells the wallet what its user can mend: %s', (reason, description) => {
    expect(new OAuthError('invalid_grant', reason).detail).toBe(description);
    expect(description).toMatch(DESCRIPTION);
  });

  it('17.13 tells the wallet of no other reason', () => {
    const reasons = (Object.keys(REFUSAL_REASONS) as RefusalReason[]).filter((one) => !one.startsWith('tx_code_'));
    const details = new Set(reasons.map((reason) => new OAuthError('invalid_grant', reason).detail));
    expect([...details]).toEqual([OAUTH_ERRORS.invalid_grant.meaning]);
  });

  it('VCI:J16 has the code of a failure as its reason, and nothing of its sentence', () => {
    const failure = joseFailure('jwk_not_allowed', 'canary-value');
    const error = new OAuthError('invalid_proof', failure);
    expect(error.reason).toBe('jwk_not_allowed');
    expect(error.hiddenCause()).toBe(failure);
    expect(`${error.message}${error.detail}`).not.toContain('canary-value');
  });

  it.each(Object.entries(REFUSAL_REASONS))('%s is a word, with a meaning and a remedy', (reason, entry) => {
    expect(reason).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(entry.meaning).not.toBe('');
    expect(entry.remedy).not.toBe('');
  });

  it('VCI:J16 any text becomes one of the allowed characters and of bounded length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1_000 }), (text) => {
        const description = toErrorDescription(text);
        expect(description).toMatch(DESCRIPTION);
        expect(description.length).toBeLessThanOrEqual(300);
      }),
    );
  });

  it('VCI:D22 a DPoP error is 400 at the token endpoint and 401 at the protected ones', () => {
    for (const code of ['invalid_dpop_proof', 'use_dpop_nonce'] as const) {
      expect(oauthErrorStatus(code, 'token')).toBe(400);
      expect(oauthErrorStatus(code, 'credential')).toBe(401);
      expect(oauthErrorStatus(code, 'notification')).toBe(401);
    }
  });

  it('VCI:D22 invalid_client is 401 where an Authorization header came, and 400 otherwise', () => {
    expect(oauthErrorStatus('invalid_client', 'token')).toBe(400);
    expect(oauthErrorStatus('invalid_client', 'token', true)).toBe(401);
    expect(oauthErrorStatus('invalid_client', 'credential', true)).toBeUndefined();
    expect(oauthErrorStatus('invalid_grant', 'token', true)).toBe(400);
  });

  it('VCI:R9 insufficient_scope is 403, and a code has no status where it must not occur', () => {
    expect(oauthErrorStatus('insufficient_scope', 'credential')).toBe(403);
    expect(oauthErrorStatus('invalid_grant', 'credential')).toBeUndefined();
    expect(oauthErrorStatus('invalid_proof', 'token')).toBeUndefined();
  });

  it('VCI:T6 does not know the code of a later draft for a wrong transaction code', () => {
    expect(codes).not.toContain('invalid_tx_code');
    expect(codes).not.toContain('unsupported_credential_type');
  });
});
