import { DomainError } from '@vestibule/foundation';
import { z } from 'zod';
import { contract, fromWireError, toWireError, wireReply } from './contract';

describe('contract', () => {
  it.each(['verifier.presentation.submit', 'wallet-store.entity.create', 'issuer.credential-offer.get'])(
    'takes %s',
    (subject) => {
      expect(contract(subject, z.string(), z.string()).subject).toBe(subject);
    },
  );

  it.each([
    'verifier',
    'verifier.submit',
    'other.a.b',
    'verifier.A.b',
    'verifier.a.b.c',
    'verifier.*.b',
    '{"cmd":"x"}',
  ])('refuses the subject %s', (subject) => {
    expect(() => contract(subject, z.string(), z.string())).toThrow(RangeError);
  });
});

describe('wire errors', () => {
  it('keep kind, code, detail and faults of a domain error, and never its reason and cause', () => {
    const error = new DomainError({
      kind: 'invalid',
      code: 'invalid_request',
      detail: 'd',
      faults: [{ path: 'p', message: 'm' }],
      reason: 'code_not_open',
      cause: 'CANARY',
    });
    const wire = toWireError(error);
    expect(JSON.stringify(wire)).not.toMatch(/code_not_open|CANARY/);
    expect(fromWireError(wire)).toMatchObject({
      kind: 'invalid',
      code: 'invalid_request',
      detail: 'd',
      faults: [{ path: 'p', message: 'm' }],
    });
    expect(wireReply.parse({ ok: false, error: wire })).toEqual({ ok: false, error: wire });
  });

  it('mask everything else', () => {
    expect(toWireError(new Error('password is hunter2'))).toEqual({
      kind: 'internal',
      code: 'internal_error',
      detail: 'internal error',
      faults: [],
    });
  });
});
