import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { parseEcJwk, sha256Base64url, signCompactJws, type PublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { verifyClientAttestation, verifyDpopProof } from '@vestibule/oauth';
import { verifyKeyProofs } from '@vestibule/oid4vci';
import { parseSdJwtVc, verifyKeyBinding } from '@vestibule/sd-jwt-vc';
import { verifyStatusListToken } from '@vestibule/status-list';

const now = new Date('2026-06-01T12:00:00Z');
const iat = now.getTime() / 1000;
const exp = iat + 600;
const [aud, uri, nonce] = ['https://issuer.example', 'https://issuer.example/list', 'a nonce'];

/** One key for everything: whoever signs may sign each of them, so that only the type tells them apart. */
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = createPublicKey(privateKey);
const jwk: PublicJwk = parseEcJwk(publicKey.export({ format: 'jwk' }) as JsonObject, ['P-256']);
const attesterKeys = () => [publicKey];
const sign = (typ: unknown, claims: JsonObject, header: JsonObject = {}) =>
  signCompactJws({ typ, ...header } as JsonObject, claims, privateKey);

const POP = 'oauth-client-attestation-pop+jwt';
const WALLET = 'oauth-client-attestation+jwt';
const CREDENTIAL = `${sign('dc+sd-jwt', { vct: 'urn:v', cnf: { jwk: { ...jwk } } })}~`;
const lst = deflateSync(Buffer.alloc(8)).toString('base64url');

/** Judges a wallet that sends these two. */
const authenticate = (attestation: unknown, pop: unknown) => {
  const attested = sign(attestation, { sub: 'wallet', exp, cnf: { jwk: { ...jwk } } });
  const possession = sign(pop, { aud, iat, jti: randomUUID() });
  const headers = { attestation: [attested], pop: [possession] };
  return verifyClientAttestation(headers, {
    audience: aud,
    now,
    attesterKeys,
    clientId: undefined,
    challenge: 'not_required',
  });
};

const prove = (proofType: 'jwt' | 'attestation', proof: string) =>
  verifyKeyProofs(
    { proofType, proofs: [proof] },
    {
      audience: aud,
      now,
      client: 'anonymous',
      attesterKeys,
      maxKeys: 1,
      requirement: undefined,
      algorithms: ['ES256'],
    },
  );
const attestKey = (typ: unknown) => sign(typ, { iat, exp, nonce, attested_keys: [{ ...jwk }] });

/** Every place that takes a JWT, and the type that it takes: `judge` sends one that is right but for its type. */
const PLACES: readonly [place: string, type: string, judge: (typ: unknown) => unknown][] = [
  ['VP:L1 a credential', 'dc+sd-jwt', (typ) => parseSdJwtVc(`${sign(typ, { vct: 'urn:v' })}~`)],
  [
    'VP:M1 a key binding',
    'kb+jwt',
    (typ) => {
      const binding = sign(typ, { aud, nonce, iat, sd_hash: sha256Base64url(CREDENTIAL) });
      const sdJwt = parseSdJwtVc(`${CREDENTIAL}${binding}`);
      const expected = { audience: aud, nonce, requestedAt: now, now, skewSeconds: 0, transactionData: [] };
      return verifyKeyBinding(sdJwt, sdJwt.payload, expected);
    },
  ],
  [
    'VP:O4 a status list',
    'statuslist+jwt',
    (typ) => {
      const token = sign(typ, { sub: uri, iat, exp, status_list: { bits: 1, lst } }, { x5c: ['MIIB'] });
      return verifyStatusListToken(token, { uri, now, skewSeconds: 0, signerKeys: attesterKeys });
    },
  ],
  [
    'VCI:D2 a DPoP proof',
    'dpop+jwt',
    (typ) => {
      const proof = sign(typ, { jti: randomUUID(), htm: 'POST', htu: uri, iat }, { jwk: { ...jwk } });
      return verifyDpopProof(proof, { method: 'POST', url: uri, now, token: 'unbound', nonce: 'not_required' });
    },
  ],
  ['VCI:C2 a wallet attestation', WALLET, (typ) => authenticate(typ, POP)],
  ['VCI:C2 a proof of possession', POP, (typ) => authenticate(WALLET, typ)],
  [
    'VCI:J1 a key proof',
    'openid4vci-proof+jwt',
    (typ) => prove('jwt', sign(typ, { aud, iat, nonce }, { jwk: { ...jwk } })),
  ],
  ['VCI:K1 a key attestation as a proof', 'key-attestation+jwt', (typ) => prove('attestation', attestKey(typ))],
  [
    'VCI:K1 a key attestation in a proof',
    'key-attestation+jwt',
    (typ) =>
      prove('jwt', sign('openid4vci-proof+jwt', { aud, iat, nonce }, { kid: '0', key_attestation: attestKey(typ) })),
  ],
];

/** The types of all JWTs that are made here, by wallets, by issuers and by authorization servers, and almost such types. */
const TYPES: readonly unknown[] = [
  ...new Set(PLACES.map(([, type]) => type)),
  ...['oauth-authz-req+jwt', 'openidvci-issuer-metadata+jwt', 'rc-wrp+jwt', 'at+jwt', 'logout+jwt', 'JOSE', 'JWT'],
  ...['vc+sd-jwt', 'keyattestation+jwt', 'statuslist+cwt', '', null, undefined],
];

describe.each(PLACES)('%s', (_place, type, judge) => {
  const outcome = async (typ: unknown) => {
    try {
      await judge(typ);
      return true;
    } catch {
      return false;
    }
  };
  const near = [type.toUpperCase(), `application/${type}`, `${type} `, [type], { type }];

  it(`is of the type ${type}`, async () => expect(await outcome(type)).toBe(true));

  it.each([...TYPES.filter((typ) => typ !== type), ...near])(
    'is not of the type %j, though all else is right',
    async (typ) => expect(await outcome(typ)).toBe(false),
  );
});
