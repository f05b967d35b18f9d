import { inspect } from 'node:util';
import pino from 'pino';
import { DomainError, failureFamily, VerificationFailure } from './index';

const CANARY = 'Ms-Canary-Family-Name';

describe('DomainError', () => {
  it('prints its cause nowhere: not in inspect, JSON or a log line', () => {
    const error = new DomainError({ kind: 'internal', code: 'invalid_grant', detail: 'y', cause: { claim: CANARY } });
    const lines: string[] = [];
    pino({}, { write: (line: string) => void lines.push(line) }).error(error);
    const printed = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), String(error), ...lines];
    expect(printed.join('\n')).not.toContain(CANARY);
    expect(error.hiddenCause()).toEqual({ claim: CANARY });
  });
});

describe('failureFamily', () => {
  it('makes a failure that says code, section and remedy', () => {
    const fail = failureFamily({ expired: { section: 'RFC 7519 §4.1.4', meaning: 'too old', remedy: 'renew it' } });
    const failure = fail('expired');
    expect(failure).toBeInstanceOf(VerificationFailure);
    expect(failure).toMatchObject({ kind: 'denied', code: 'expired', detail: 'too old', section: 'RFC 7519 §4.1.4' });
  });
});
