import fc from 'fast-check';
import { OAuthError } from '@vestibule/oauth';
import { describeWithVectors, readVector } from '@vestibule/testkit';
import { parseCredentialRequest, type CredentialRequestContext } from './index';

const context: CredentialRequestContext = {
  knownConfigurations: ['pid', 'diploma'],
  grantedConfigurations: ['pid'],
  grantedCredentials: [],
  batchSize: 3,
  proofTypes: ['jwt', 'attestation'],
};
const withIdentifiers = { ...context, grantedCredentials: [{ configurationId: 'pid', credentialIdentifier: 'pid-1' }] };
const proofs = { jwt: ['a.b.c'] };
const body = { credential_configuration_id: 'pid', proofs };
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('parseCredentialRequest', () => {
  it('VCI:R4 takes a request and ignores what it does not know', () => {
    expect(parseCredentialRequest({ ...body, foo: { bar: 1 } }, context)).toEqual({
      configurationId: 'pid',
      proofType: 'jwt',
      proofs: ['a.b.c'],
    });
  });

  it('VCI:R11 takes a proof of a type that is advertised, and no other', () => {
    const attested = { ...body, proofs: { attestation: ['a.b.c'] } };
    expect(parseCredentialRequest(attested, context)).toMatchObject({ proofType: 'attestation', proofs: ['a.b.c'] });
    const onlyJwt = { ...context, proofTypes: ['jwt'] as const };
    expect(() => parseCredentialRequest(attested, onlyJwt)).toThrow(code('invalid_proof'));
  });

  it('VCI:R6 takes an identifier that the token response named', () => {
    const request = parseCredentialRequest({ credential_identifier: 'pid-1', proofs }, withIdentifiers);
    expect(request.configurationId).toBe('pid');
  });

  it('VCI:R13 takes as many proofs as a batch has', () => {
    const jwt = ['a', 'b', 'c'];
    expect(parseCredentialRequest({ ...body, proofs: { jwt } }, context).proofs).toEqual(jwt);
  });

  it('VCI:R5 VCI:R11 takes a member that is null for one that is absent', () => {
    const nulls = { ...body, credential_identifier: null, proofs: { ...body.proofs, attestation: null, di_vp: null } };
    expect(parseCredentialRequest(nulls, context)).toEqual(parseCredentialRequest(body, context));
  });

  it.each<[string, unknown, string]>([
    ['VCI:R3 a body that was not JSON', undefined, 'invalid_credential_request'],
    ['VCI:R3 an array', [], 'invalid_credential_request'],
    ['VCI:R3 a text', 'pid', 'invalid_credential_request'],
    ['VCI:R3 null', null, 'invalid_credential_request'],
    ['VCI:R5 neither id', { proofs }, 'invalid_credential_request'],
    ['VCI:R5 both ids', { ...body, credential_identifier: 'pid' }, 'invalid_credential_request'],
    ['VCI:R5 an id that is no text', { ...body, credential_configuration_id: 1 }, 'invalid_credential_request'],
    ['VCI:R5 an id of null', { ...body, credential_configuration_id: null }, 'invalid_credential_request'],
    ['VCI:R7 an unknown id', { ...body, credential_configuration_id: 'x' }, 'unknown_credential_configuration'],
    [
      'VCI:R7 an inherited name',
      { ...body, credential_configuration_id: 'toString' },
      'unknown_credential_configuration',
    ],
    [
      'VCI:R8 an identifier that was never issued',
      { credential_identifier: 'pid', proofs },
      'unknown_credential_identifier',
    ],
    ['VCI:R9 an id of another offer', { ...body, credential_configuration_id: 'diploma' }, 'insufficient_scope'],
    ['VCI:R10 no proofs', { credential_configuration_id: 'pid' }, 'invalid_proof'],
    [
      'VCI:R12 the proof of an old draft',
      { credential_configuration_id: 'pid', proof: { proof_type: 'jwt', jwt: 'a' } },
      'invalid_proof',
    ],
    ['VCI:R11 proofs without member', { ...body, proofs: {} }, 'invalid_proof'],
    ['VCI:R11 two proof types', { ...body, proofs: { jwt: ['a'], attestation: ['b'] } }, 'invalid_proof'],
    ['VCI:R11 an empty array', { ...body, proofs: { jwt: [] } }, 'invalid_proof'],
    ['VCI:R11 a proof type that is not offered', { ...body, proofs: { di_vp: [{}] } }, 'invalid_proof'],
    ['VCI:R11 proofs as an array', { ...body, proofs: ['a'] }, 'invalid_proof'],
    ['VCI:R11 proofs of null', { ...body, proofs: null }, 'invalid_proof'],
    ['VCI:R11 no proofs but null', { ...body, proofs: { jwt: null, attestation: null } }, 'invalid_proof'],
    [
      'VCI:R11 two proof types and null',
      { ...body, proofs: { jwt: ['a'], attestation: ['b'], di_vp: null } },
      'invalid_proof',
    ],
    ['VCI:R11 a proof that is no text', { ...body, proofs: { jwt: ['a', 1] } }, 'invalid_proof'],
    ['VCI:R11 a text for the array', { ...body, proofs: { jwt: 'a.b.c' } }, 'invalid_proof'],
    ['VCI:R13 one proof too many', { ...body, proofs: { jwt: ['a', 'b', 'c', 'd'] } }, 'invalid_credential_request'],
  ])('refuses %s', (_what, value, expected) => {
    expect(() => parseCredentialRequest(value, context)).toThrow(code(expected));
  });

  it('VCI:R6 VCI:R8 after identifiers were named, takes those and nothing else', () => {
    expect(() => parseCredentialRequest(body, withIdentifiers)).toThrow(code('invalid_credential_request'));
    expect(() => parseCredentialRequest({ credential_identifier: 'x', proofs }, withIdentifiers)).toThrow(
      code('unknown_credential_identifier'),
    );
  });

  it('VCI:R13 without batches takes one proof', () => {
    const single = { ...context, batchSize: undefined };
    expect(parseCredentialRequest(body, single).proofs.length).toBe(1);
    expect(() => parseCredentialRequest({ ...body, proofs: { jwt: ['a', 'b'] } }, single)).toThrow(
      code('invalid_credential_request'),
    );
  });

  it('VCI:R3 answers any JSON with a request or a typed error', () => {
    const known = fc.record(
      {
        credential_configuration_id: fc.constant('pid'),
        proofs: fc.jsonValue(),
        credential_identifier: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), known), (value) => {
        try {
          expect(parseCredentialRequest(value, context).proofs.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(OAuthError);
        }
      }),
    );
  });
});

describeWithVectors('a credential request of draft 13', () => {
  it('VCI:R5 is malformed: it names no configuration', () => {
    const text = readVector('issuer/haip-1.0-STALE-negative/credential_request_sd_jwt_vc.json');
    const stale: unknown = JSON.parse(text.replace(/\n\s*/g, ''));
    expect(() => parseCredentialRequest(stale, context)).toThrow(code('invalid_credential_request'));
  });
});
