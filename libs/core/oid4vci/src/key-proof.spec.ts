import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { exportPublicJwk, signCompactJws } from '@vestibule/crypto';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { fastestMilliseconds, describeWithVectors, readJsonVector } from '@vestibule/testkit';
import { verifyKeyProofs, type KeyProofExpectation } from './index';

const audience = 'https://c.example.com/issuer';
const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const expectation: KeyProofExpectation = {
  audience,
  now,
  client: 'anonymous',
  attesterKeys: undefined,
  maxKeys: 10,
  requirement: undefined,
  algorithms: ['ES256'],
};
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const key = newKey();
const jwk = exportPublicJwk(key);
const typ = 'openid4vci-proof+jwt';

const claims: JsonObject = { aud: audience, iat: seconds, nonce: 'n-1' };
const proof = (changes: JsonObject = {}, header: JsonObject = {}, signer: KeyObject = key) =>
  signCompactJws({ typ, jwk: { ...exportPublicJwk(signer) }, ...header }, { ...claims, ...changes }, signer);
const without = (name: string) => {
  const rest = { ...claims };
  delete rest[name];
  return signCompactJws({ typ, jwk: { ...jwk } }, rest, key);
};
const verify = (proofs: string[], changes: Partial<KeyProofExpectation> = {}) =>
  verifyKeyProofs({ proofType: 'jwt', proofs }, { ...expectation, ...changes });
const refused = expect.objectContaining({ code: 'invalid_proof' });

describe('verifyKeyProofs', () => {
  it('VCI:J7 VCI:P3 returns the keys in the order of the proofs and each nonce once', async () => {
    const second = newKey();
    expect(await verify([proof(), proof({}, {}, second)])).toEqual({
      keys: [jwk, exportPublicJwk(second)],
      nonces: ['n-1'],
      statuses: [],
    });
    expect((await verify([proof(), proof({ nonce: 'n-2' }, {}, second)])).nonces).toEqual(['n-1', 'n-2']);
  });

  it('VCI:V7 returns the key without its optional members', async () => {
    const decorated = { ...jwk, kid: 'correlates', use: 'sig', alg: 'ES256' };
    expect((await verify([proof({}, { jwk: decorated })])).keys).toEqual([jwk]);
  });

  it.each<[string, JsonObject]>([
    ['VCI:J8 an array with the issuer alone as aud', { aud: [audience] }],
    ['VCI:J9 an iat of 300 s ago', { iat: seconds - 300 }],
    ['VCI:J9 an iat 60 s ahead', { iat: seconds + 60 }],
    ['VCI:J11 any iss where nobody authenticated', { iss: 'wallet' }],
    ['VCI:J10 a nonce of 512 characters', { nonce: 'n'.repeat(512) }],
    ['VCI:J15 unknown claims', { foo: { bar: 1 } }],
  ])('accepts %s', async (_what, changes) => expect((await verify([proof(changes)])).keys).toEqual([jwk]));

  it.each<[string, JsonObject]>([
    ['VCI:J8 the credential endpoint as aud', { aud: `${audience}/oidc4vci/credential` }],
    ['VCI:J8 an aud with a slash more', { aud: `${audience}/` }],
    ['VCI:J8 an aud in upper case', { aud: audience.toUpperCase() }],
    ['VCI:J8 two audiences', { aud: [audience, 'https://other.example'] }],
    ['VCI:J8 no audience in the array', { aud: [] }],
    ['VCI:J8 another audience in the array', { aud: ['https://other.example'] }],
    ['VCI:J16 an aud with a quote and a line break', { aud: 'x"\n' }],
    ['VCI:J9 an iat of 301 s ago', { iat: seconds - 301 }],
    ['VCI:J9 an iat 61 s ahead', { iat: seconds + 61 }],
    ['VCI:J9 an iat of text', { iat: '1772366400' }],
    ['VCI:J9 an exp in the past', { exp: seconds - 61 }],
    ['VCI:J10 an empty nonce', { nonce: '' }],
    ['VCI:J10 a nonce of 513 characters', { nonce: 'n'.repeat(513) }],
    ['VCI:J10 a nonce that is no text', { nonce: 1 }],
  ])('refuses %s', (_what, changes) => expect(verify([proof(changes)])).rejects.toThrow(refused));

  it.each(['aud', 'iat', 'nonce'])('VCI:J8 VCI:J9 VCI:J10 refuses a proof without %s', async (name) => {
    await expect(verify([without(name)])).rejects.toThrow(refused);
  });

  it('VCI:J11 holds iss against the client that authenticated', async () => {
    const client = { clientId: 'wallet' };
    expect((await verify([proof({ iss: 'wallet' })], { client })).keys).toEqual([jwk]);
    expect((await verify([proof()], { client })).keys).toEqual([jwk]);
    await expect(verify([proof({ iss: 'other' })], { client })).rejects.toThrow(refused);
  });

  it('VCI:J13 refuses all proofs when one is bad, two for one key, and none at all', async () => {
    await expect(verify([proof(), proof({ aud: 'x' }, {}, newKey()), proof({}, {}, newKey())])).rejects.toThrow(
      refused,
    );
    await expect(verify([proof(), proof({ nonce: 'n-2' })])).rejects.toThrow(refused);
    await expect(verify([])).rejects.toThrow(refused);
  });
});

describe('verifyKeyProofs: header and signature', () => {
  const signed = (header: JsonObject) => signCompactJws(header, claims, key);

  it.each<[string, string]>([
    ['VCI:J1 typ JWT', proof({}, { typ: 'JWT' })],
    ['VCI:J1 no typ', signed({ jwk: { ...jwk } })],
    ['VCI:J1 a DPoP proof', proof({}, { typ: 'dpop+jwt' })],
    ['VCI:J1 typ in another case', proof({}, { typ: 'OpenID4VCI-Proof+JWT' })],
    ['VCI:J3 jwk and kid', proof({}, { kid: '0' })],
    ['VCI:J3 jwk and x5c', proof({}, { x5c: ['MIIB'] })],
    ['VCI:J3 no key', signed({ typ })],
    ['VCI:J5 an x5c, which is not advertised', signed({ typ, x5c: ['MIIB'] })],
    ['VCI:J6 a bare kid', signed({ typ, kid: '0' })],
    ['VCI:J6 a DID as kid', signed({ typ, kid: 'did:key:abc#abc' })],
    ['VCI:J4 a private jwk', proof({}, { jwk: { ...jwk, d: jwk.x } })],
    ['VCI:J4 a symmetric jwk', proof({}, { jwk: { kty: 'oct', k: 'AAAA' } })],
    ['VCI:J4 a point off the curve', proof({}, { jwk: { ...jwk, y: jwk.x } })],
    ['VCI:J4 a jwk that is text', proof({}, { jwk: 'jwk' })],
    ['VCI:J12 a private key elsewhere in the header', proof({}, { extra: [{ inner: { kty: 'oct', k: 'AAAA' } }] })],
    ['VCI:J7 a signature by another key', proof({}, { jwk: { ...exportPublicJwk(newKey()) } })],
    ['VCI:J15 a critical extension', proof({}, { crit: ['x'], x: 1 })],
    ['VCI:J7 no JWS', 'abc'],
  ])('refuses %s', (_what, text) => expect(verify([text])).rejects.toThrow(refused));

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])(
    'VCI:J12 refuses the private member %s of a key elsewhere in the header, beside what is harmless',
    async (name) => {
      const extra: JsonValue[] = [1, { ...jwk }, { inner: { kty: 'RSA', [name]: 'AAAA' } }, 'x'];
      await expect(verify([proof({}, { extra })])).rejects.toThrow(
        expect.objectContaining({ reason: 'private_key_in_header' }),
      );
      expect((await verify([proof({}, { extra: { [name]: 'what is no key' } })])).keys).toEqual([jwk]);
    },
  );

  it.each(['none', 'HS256', 'ES384', 'RS256', 'EdDSA'])('VCI:J2 refuses alg %s', async (alg) => {
    const [, payload, signature] = proof().split('.');
    const header = Buffer.from(JSON.stringify({ typ, jwk, alg })).toString('base64url');
    await expect(verify([`${header}.${payload}.${signature}`])).rejects.toThrow(refused);
    await expect(verify([`${header}.${payload}.`])).rejects.toThrow(refused);
  });

  it('VCI:J7 refuses a flipped byte in any part', async () => {
    const text = proof();
    for (const index of [5, text.indexOf('.') + 5, text.length - 10]) {
      const flipped = text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);
      await expect(verify([flipped])).rejects.toThrow(refused);
    }
  });

  it('VCI:J15 VCI:K12 ignores unknown header members, a key attestation that nobody asked for among them', async () => {
    expect((await verify([proof({}, { foo: 1, key_attestation: 'a.b.c' })])).keys).toEqual([jwk]);
  });

  it('VCI:J16 keeps the reason to itself', async () => {
    try {
      await verify([proof({ aud: 'x"y' })]);
      throw new Error('accepted');
    } catch (error) {
      expect(error).toBeInstanceOf(OAuthError);
      const { detail, message, reason } = error as OAuthError;
      expect(`${detail}${message}${reason}`).not.toContain('x"y');
      expect(detail).not.toContain('aud');
    }
  });
});

describe('verifyKeyProofs on a stranger’s bytes', () => {
  const expectTypedError = async (text: string) => {
    await expect(verify([text])).rejects.toThrow(refused);
  };

  it('VCI:J14 answers anything with invalid_proof', async () => {
    const encoded = fc.json().map((text) => Buffer.from(text).toString('base64url'));
    await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), expectTypedError));
    await fc.assert(
      fc.asyncProperty(fc.tuple(encoded, encoded, encoded), (parts) => expectTypedError(parts.join('.'))),
    );
  });

  it('VCI:J14 answers 100 KB at once', () => {
    const brackets = Buffer.from('['.repeat(60_000)).toString('base64url');
    const long = proof({ filler: 'x'.repeat(75_000) }, { typ: 'x' });
    for (const text of ['.'.repeat(100_000), `${brackets}.e30.AA`, long]) {
      expect(fastestMilliseconds(() => expectTypedError(text))).toBeLessThan(50);
    }
  });
});

describeWithVectors('the key proof of OpenID4VCI 1.0 §F.1', () => {
  interface Vector {
    jwt: string;
    payload: { aud: string; iat: number; nonce: string };
    header: { jwk: JsonObject };
  }
  it('VCI:J7 verifies, and not for another issuer', async () => {
    const { jwt, payload, header } = readJsonVector('issuer/oid4vci-1.0/inline/proof_jwt_F1.json') as Vector;
    const at = { audience: payload.aud, now: new Date(payload.iat * 1000) };
    expect(await verify([jwt], at)).toMatchObject({ keys: [header.jwk], nonces: [payload.nonce] });
    await expect(verify([jwt], { now: at.now })).rejects.toThrow(refused);
  });
});
