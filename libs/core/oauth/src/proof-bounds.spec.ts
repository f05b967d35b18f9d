import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { exportPublicJwk, jwkThumbprint, signCompactJws } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import {
  verifyClientAttestation,
  verifyDpopProof,
  type ClientAttestationExpectation,
  type DpopExpectation,
  type RefusalReason,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const audience = 'https://c.example.com/issuer';
const url = `${audience}/oidc4vci/token`;
const clientId = 'https://wallet.example/app';
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const [attester, holder] = [newKey(), newKey()];
const jwk = { ...exportPublicJwk(holder) };
const long = (length: number) => 'x'.repeat(length);

/** A member that is undefined is left out. */
type Members = Readonly<Record<string, JsonObject[string] | undefined>>;
const given = (members: Members) => JSON.parse(JSON.stringify(members)) as JsonObject;

const dpop = (claims: Members = {}, header: Members = {}) =>
  signCompactJws(
    given({ typ: 'dpop+jwt', jwk, ...header }),
    given({ jti: 'jti-1', htm: 'POST', htu: url, iat: seconds, ...claims }),
    holder,
  );
const verifyDpop = (text: string, changes: Partial<DpopExpectation> = {}) =>
  verifyDpopProof(text, { method: 'POST', url, now, token: 'unbound', nonce: 'not_required', ...changes });

interface Parts {
  readonly header?: Members;
  readonly attested?: Members;
  readonly popHeader?: Members;
  readonly pop?: Members;
}
const verifyWallet = (parts: Parts = {}, changes: Partial<ClientAttestationExpectation> = {}) => {
  const { header, attested, popHeader, pop } = parts;
  const attestation = signCompactJws(
    given({ typ: 'oauth-client-attestation+jwt', ...header }),
    given({ sub: clientId, exp: seconds + 3_600, cnf: { jwk }, ...attested }),
    attester,
  );
  const possession = signCompactJws(
    given({ typ: 'oauth-client-attestation-pop+jwt', ...popHeader }),
    given({ aud: audience, jti: 'jti-1', iat: seconds, ...pop }),
    holder,
  );
  return verifyClientAttestation(
    { attestation: [attestation], pop: [possession] },
    {
      audience,
      now,
      attesterKeys: () => [createPublicKey(attester)],
      clientId: undefined,
      challenge: 'not_required',
      ...changes,
    },
  );
};

describe('the bounds of a DPoP proof', () => {
  it.each<[string, Members, Members?]>([
    ['VCI:D10 a jti of 256 characters', { jti: long(256) }],
    ['VCI:D1 a header of 8 kB', {}, { filler: long(5_800) }],
    ['VCI:D1 15 kB', { filler: long(11_000) }],
    ['VCI:D8 a URL of 2,048 characters', { htu: `${url}?${long(2_047 - url.length)}` }],
    ['VCI:D16 an exp of a minute ago', { exp: seconds - 60 }],
    ['VCI:D16 an nbf in a minute', { nbf: seconds + 60 }],
  ])('include %s', async (_what, claims, header = {}) => {
    expect((await verifyDpop(dpop(claims, header))).thumbprint).toBe(jwkThumbprint(exportPublicJwk(holder)));
  });

  it.each<[string, RefusalReason, Members, Partial<DpopExpectation>?]>([
    ['VCI:D6 no jti', 'jti_malformed', { jti: undefined }],
    ['VCI:D10 a jti of 257 characters', 'jti_malformed', { jti: long(257) }],
    ['VCI:D6 no htm', 'htm_malformed', { htm: undefined }],
    ['VCI:D7 another method', 'htm_mismatch', { htm: 'GET' }],
    ['VCI:D6 no htu', 'htu_malformed', { htu: undefined }],
    ['VCI:D8 a URL of 2,049 characters', 'htu_malformed', { htu: `${url}?${long(2_048 - url.length)}` }],
    ['VCI:D8 a URL with a port that is none', 'htu_mismatch', { htu: 'https://c.example.com:99999/issuer' }],
    ['VCI:D8 another URL', 'htu_mismatch', { htu: audience }],
    ['VCI:D9 no iat', 'iat_missing', { iat: undefined }],
    ['VCI:D9 an old iat', 'iat_too_old', { iat: seconds - 301 }],
    ['VCI:D9 an iat to come', 'iat_in_future', { iat: seconds + 61 }],
    ['VCI:D16 an exp that passed', 'exp_passed', { exp: seconds - 61 }],
    ['VCI:D16 an nbf to come', 'nbf_in_future', { nbf: seconds + 61 }],
    ['VCI:D16 an nbf of text', 'nbf_in_future', { nbf: 'yesterday' }],
    ['VCI:D11 no ath', 'ath_mismatch', {}, { token: { accessToken: 'token', thumbprint: 'x' } }],
  ])('exclude %s, and the log says so: %s', async (_what, reason, claims, changes = {}) => {
    await expect(verifyDpop(dpop(claims), changes)).rejects.toMatchObject({ code: 'invalid_dpop_proof', reason });
  });

  it('VCI:D1 exclude a header of more than 8 KiB', async () => {
    const refused = { code: 'invalid_dpop_proof', reason: 'jws_malformed' };
    await expect(verifyDpop(dpop({}, { filler: long(6_100) }))).rejects.toMatchObject(refused);
  });

  it('VCI:D17 exclude a nonce that is not text, whoever takes it', async () => {
    const nonce = { accepts: () => true, create: () => 'fresh' };
    const wanted = { code: 'use_dpop_nonce', reason: 'dpop_nonce_not_current', freshNonce: 'fresh' };
    for (const value of [1, ['fresh'], null]) {
      await expect(verifyDpop(dpop({ nonce: value }), { nonce })).rejects.toMatchObject(wanted);
    }
  });
});

describe('the bounds of a client attestation and its proof', () => {
  it.each<[string, Parts]>([
    ['VCI:C5 a sub of 512 characters', { attested: { sub: long(512) } }],
    ['VCI:C5 a sub with spaces, from the first to the last visible character', { attested: { sub: ' wallet~' } }],
    ['VCI:C5 an exp of a minute ago', { attested: { exp: seconds - 60 } }],
    ['VCI:C5 an iat in a minute', { attested: { iat: seconds + 60 } }],
    ['VCI:C5 an nbf in a minute', { attested: { nbf: seconds + 60 } }],
    ['VCI:C1 a header of 12 kB, for a chain of certificates', { header: { filler: long(9_000) } }],
    ['VCI:C10 a jti of 256 characters', { pop: { jti: long(256) } }],
    ['VCI:C10 an exp of a minute ago in the proof', { pop: { exp: seconds - 60 } }],
    ['VCI:C10 an nbf in a minute in the proof', { pop: { nbf: seconds + 60 } }],
  ])('include %s', async (_what, parts) => {
    expect((await verifyWallet(parts)).clientId).toBe(parts.attested?.['sub'] ?? clientId);
  });

  it.each<[string, string, Parts, Partial<ClientAttestationExpectation>?]>([
    ['VCI:C1 an attestation of 20 kB', 'jws_malformed', { attested: { filler: long(15_000) } }],
    ['VCI:C1 an attestation with a header of 13 kB', 'jws_malformed', { header: { filler: long(9_500) } }],
    ['VCI:C1 a proof of 20 kB', 'jws_malformed', { pop: { filler: long(15_000) } }],
    ['VCI:C2 another typ', 'typ_wrong', { header: { typ: 'jwt' } }],
    ['VCI:C5 a sub of 513 characters', 'attestation_sub_malformed', { attested: { sub: long(513) } }],
    ['VCI:C5 a sub with a line break', 'attestation_sub_characters', { attested: { sub: 'wallet\nother' } }],
    ['VCI:C5 no exp', 'attestation_exp_missing', { attested: { exp: undefined } }],
    ['VCI:C5 an exp of text', 'attestation_exp_missing', { attested: { exp: 'tomorrow' } }],
    ['VCI:C5 an exp in milliseconds', 'attestation_exp_missing', { attested: { exp: (seconds + 60) * 1000 } }],
    ['VCI:C5 an iat to come', 'attestation_iat_in_future', { attested: { iat: seconds + 61 } }],
    ['VCI:C5 an iat of text', 'attestation_iat_in_future', { attested: { iat: '0' } }],
    ['VCI:C5 an nbf to come', 'attestation_nbf_in_future', { attested: { nbf: seconds + 61 } }],
    ['VCI:C5 no key', 'jwk_not_allowed', { attested: { cnf: undefined } }],
    ['VCI:C6 a proof of another client', 'pop_iss_mismatch', { pop: { iss: 'https://other.example' } }],
    ['VCI:C9 a proof for another server', 'pop_aud_mismatch', { pop: { aud: url } }],
    ['VCI:C10 an old proof', 'iat_too_old', { pop: { iat: seconds - 301 } }],
    ['VCI:C10 a jti of 257 characters', 'jti_malformed', { pop: { jti: long(257) } }],
    ['VCI:C13 another client_id', 'client_id_mismatch', {}, { clientId: 'https://other.example' }],
    [
      'VCI:C4 a chain in the header that is not that of its signer',
      'jws_signature_invalid',
      { header: { x5c: ['AA=='] } },
      { attesterKeys: () => [createPublicKey(holder)] },
    ],
  ])('exclude %s, and the log says so: %s', async (_what, reason, parts, changes = {}) => {
    await expect(verifyWallet(parts, changes)).rejects.toMatchObject({ code: 'invalid_client', reason });
  });

  it('VCI:C1 exclude a request without exactly one of each, and the log says so', async () => {
    const expected = { audience, now, attesterKeys: () => [], clientId: undefined, challenge: 'not_required' } as const;
    for (const [attestation, pop] of [
      [['a'], []],
      [[], ['a']],
      [['a'], ['a', 'a']],
      [['a', 'a'], ['a']],
    ] as const) {
      const refused = { code: 'invalid_client', reason: 'attestation_headers_not_paired' };
      await expect(verifyClientAttestation({ attestation, pop }, expected)).rejects.toMatchObject(refused);
    }
  });

  it('VCI:C5 tell the wallet of an attestation that has expired, and the log', async () => {
    const stale = { code: 'use_fresh_attestation', reason: 'attestation_expired' };
    await expect(verifyWallet({ attested: { exp: seconds - 61 } })).rejects.toMatchObject(stale);
  });

  it('VCI:C11 exclude a challenge that is not text, whoever takes it', async () => {
    const challenge = { accepts: () => true, create: () => 'fresh' };
    const wanted = { code: 'use_attestation_challenge', reason: 'challenge_not_current', freshNonce: 'fresh' };
    for (const value of [1, ['fresh'], null]) {
      await expect(verifyWallet({ pop: { challenge: value } }, { challenge })).rejects.toMatchObject(wanted);
    }
  });

  it('report what the attestation says about its status', async () => {
    const attested = { status: { status_list: 1 }, client_status: { exp: 2 } };
    expect((await verifyWallet({ attested })).status).toMatchObject({
      own: { status_list: 1 },
      maintained: { exp: 2 },
    });
  });

  it('VCI:C3 ask for no key of an attester before the algorithm is one of those allowed', async () => {
    const attestation = dpop({}, { typ: 'oauth-client-attestation+jwt' }).split('.');
    attestation[0] = Buffer.from('{"typ":"oauth-client-attestation+jwt","alg":"RS256"}').toString('base64url');
    let asked = 0;
    const attesterKeys = () => {
      asked += 1;
      return [];
    };
    const expected = { audience, now, attesterKeys, clientId: undefined, challenge: 'not_required' } as const;
    const sent = { attestation: [attestation.join('.')], pop: ['a.b.c'] };
    const refused = { code: 'invalid_client', reason: 'jws_algorithm_not_allowed' };
    await expect(verifyClientAttestation(sent, expected)).rejects.toMatchObject(refused);
    expect(asked).toBe(0);
  });
});
