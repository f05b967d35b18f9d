import { DomainError, ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { failed, rejected } from './presentation-outcome';

const check = new VerificationFailure('expired', { section: 's', meaning: 'it is over', remedy: 'r' });

describe('a rejection', () => {
  it('VP:I3 has the wallet’s code alone, and its description beside it if it sent one', () => {
    expect(rejected({ code: 'access_denied' })).toEqual({ status: 'REJECTED', errorDetails: 'access_denied' });
    const described = { status: 'REJECTED', errorDetails: 'x', errorDescription: 'y' };
    expect(rejected({ code: 'x', description: 'y' })).toEqual(described);
  });
});

describe('a failure', () => {
  it('of a check is VERIFICATION_FAILED with code, credential and sentence', () => {
    expect(failed(check, false, { check: 'validity', credential: 'pid' })).toEqual({
      status: 'VERIFICATION_FAILED',
      errorDetails: 'expired: credential "pid": it is over',
      reason: 'expired',
    });
    expect(failed(check, false)).toHaveProperty('errorDetails', 'expired: it is over');
  });

  it.each([
    ['status', 'pid', 'egress_tls: credential "pid": the status list: no chain'],
    ['issuer_metadata_document', undefined, 'egress_tls: the metadata of an issuer: no chain'],
    ['certificate_revocation', 'pid', 'egress_tls: credential "pid": no chain'],
  ])('to fetch something says what it was, for the check %s', (name, credential, errorDetails) => {
    const failure = new ProcessingFailure('egress_tls', 'no chain');
    const at = { check: name, ...(credential === undefined ? {} : { credential }) };
    expect(failed(failure, false, at)).toHaveProperty('errorDetails', errorDetails);
    const other = new ProcessingFailure('status_lists_too_large', 'too much');
    expect(failed(other, false, at)).not.toHaveProperty('errorDetails', expect.stringMatching(/the (status|metadata)/));
  });

  it('VP:H13 in reading a response is the wallet’s, later it is ours', () => {
    const failure = new ProcessingFailure('response_not_json', 'no JSON');
    expect(failed(failure, true)).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: true });
    expect(failed(failure, false)).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
  });

  it('VP:Q7 that nobody expected shows nothing of itself and is never the wallet’s', () => {
    const outcome = failed(new TypeError('canary'), true, { check: 'dcql', credential: 'pid' });
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^internal_error: credential "pid": /));
    expect(JSON.stringify(outcome)).not.toContain('canary');
    expect(failed('canary', true)).toHaveProperty('errorDetails', expect.stringMatching(/^internal_error: /));
  });

  it('VP:Q7 hides what is behind it', () => {
    const error = new DomainError({ kind: 'internal', code: 'seal_broken', detail: 'd', cause: new Error('canary') });
    expect(failed(error, false)).toMatchObject({ status: 'PROCESSING_ERROR', errorDetails: 'seal_broken: d' });
    expect(JSON.stringify(failed(error, false))).not.toContain('canary');
  });
});
