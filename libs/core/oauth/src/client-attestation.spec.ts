import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { exportPublicJwk, parseCompactJws, signCompactJws } from '@vestibule/crypto';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import { verifyClientAttestation, type ClientAttestationExpectation, type ClientAttestationHeaders } from './index';

const audience = 'https://c.example.com/issuer';
const clientId = 'https://wallet.example/app';
const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const [attester, instance, other] = [newKey(), newKey(), newKey()] as [KeyObject, KeyObject, KeyObject];
const instanceJwk = { ...exportPublicJwk(instance) };

const without = (members: JsonObject, changes: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...members, ...changes }).filter(([, value]) => value !== null));

/** A member that is null in `changes` or `header` is left out. */
const attestation = (changes: JsonObject = {}, header: JsonObject = {}, signer = attester) =>
  signCompactJws(
    without({ typ: 'oauth-client-attestation+jwt', kid: '11' }, header),
    without({ sub: clientId, exp: seconds + 3_600, iat: seconds - 60, cnf: { jwk: instanceJwk } }, changes),
    signer,
  );
const pop = (changes: JsonObject = {}, header: JsonObject = {}, signer = instance) =>
  signCompactJws(
    without({ typ: 'oauth-client-attestation-pop+jwt' }, header),
    without({ aud: audience, jti: 'jti-1', iat: seconds, challenge: 'fresh' }, changes),
    signer,
  );
const challenge = { accepts: (value: string) => value === 'fresh', create: () => 'fresh' };
const headers = (changes: Partial<ClientAttestationHeaders> = {}): ClientAttestationHeaders => ({
  attestation: [attestation()],
  pop: [pop()],
  ...changes,
});
const verify = (sent = headers(), changes: Partial<ClientAttestationExpectation> = {}) =>
  verifyClientAttestation(sent, {
    audience,
    now,
    attesterKeys: ({ kid }) => (kid === '11' ? [createPublicKey(attester)] : []),
    clientId: undefined,
    challenge,
    ...changes,
  });
const code = (expected: string) => expect.objectContaining({ code: expected });
const refused = code('invalid_client');

describe('verifyClientAttestation', () => {
  it('VCI:C8 authenticates the wallet that the attestation names', async () => {
    expect(await verify()).toEqual({
      clientId,
      replayDigest: expect.any(Uint8Array),
      expiresAt: new Date('2026-03-01T12:06:01Z'),
      status: { header: expect.objectContaining({ kid: '11' }), own: undefined, maintained: undefined },
    });
  });

  it.each<[string, ClientAttestationHeaders]>([
    ['no attestation', headers({ attestation: [] })],
    ['no proof of possession', headers({ pop: [] })],
    ['two attestations', headers({ attestation: [attestation(), attestation()] })],
    ['two proofs', headers({ pop: [pop(), pop({ jti: 'jti-2' })] })],
    ['two attestations in one field', headers({ attestation: [`${attestation()}, ${attestation()}`] })],
    ['something that is no JWT', headers({ attestation: ['eyJ'] })],
  ])('VCI:C1 refuses %s', async (_what, sent) => {
    await expect(verify(sent)).rejects.toThrow(refused);
  });

  it('VCI:C9 accepts a list of this one audience, as RFC 7519 §4.1.3 has it', async () => {
    expect((await verify(headers({ pop: [pop({ aud: [audience] })] }))).clientId).toBe(clientId);
  });

  it('VCI:C18 refuses the combined mode, which is not announced: a proof of possession is required', async () => {
    await expect(verify(headers({ pop: [] }))).rejects.toThrow(refused);
  });

  it.each<[string, ClientAttestationHeaders]>([
    ['VCI:C2 exchanged tokens', { attestation: [pop()], pop: [attestation()] }],
    ['VCI:C2 an attestation without typ', headers({ attestation: [attestation({}, { typ: null })] })],
    ['VCI:C2 a DPoP proof as proof of possession', headers({ pop: [pop({}, { typ: 'dpop+jwt' })] })],
    ['VCI:C4 an attester that nobody trusts', headers({ attestation: [attestation({}, {}, other)] })],
    [
      'VCI:C4 a key in the header',
      headers({ attestation: [attestation({}, { kid: 'x', jwk: instanceJwk }, instance)] }),
    ],
    ['VCI:C5 no sub', headers({ attestation: [attestation({ sub: null })] })],
    ['VCI:C5 an empty sub', headers({ attestation: [attestation({ sub: '' })] })],
    ['VCI:C5 a sub with a NUL', headers({ attestation: [attestation({ sub: 'wallet\u0000' })] })],
    ['VCI:C5 a sub of half a character', headers({ attestation: [attestation({ sub: 'wallet\ud800' })] })],
    ['VCI:C5 a sub with a line break', headers({ attestation: [attestation({ sub: 'wallet\nother' })] })],
    ['VCI:C5 a sub beyond ASCII', headers({ attestation: [attestation({ sub: 'w\u0430llet' })] })],
    ['VCI:C5 no exp', headers({ attestation: [attestation({ exp: null })] })],
    ['VCI:C5 no cnf', headers({ attestation: [attestation({ cnf: null })] })],
    ['VCI:C5 a cnf without jwk', headers({ attestation: [attestation({ cnf: { kid: '1' } })] })],
    ['VCI:C5 an nbf to come', headers({ attestation: [attestation({ nbf: seconds + 61 })] })],
    ['VCI:C5 an iat to come', headers({ attestation: [attestation({ iat: seconds + 61 })] })],
    ['VCI:C6 a proof by another client', headers({ pop: [pop({ iss: 'https://other.example' })] })],
    [
      'VCI:C7 a private key in cnf',
      headers({ attestation: [attestation({ cnf: { jwk: { ...instanceJwk, d: 'AA' } } })] }),
    ],
    ['VCI:C8 a proof with another key', headers({ pop: [pop({}, {}, other)] })],
    ['VCI:C9 the token endpoint as audience', headers({ pop: [pop({ aud: `${audience}/oidc4vci/token` })] })],
    ['VCI:C9 no audience', headers({ pop: [pop({ aud: null })] })],
    ['VCI:C9 another audience as well', headers({ pop: [pop({ aud: [audience, 'https://as.example.com'] })] })],
    ['VCI:C9 an empty list of audiences', headers({ pop: [pop({ aud: [] })] })],
    ['VCI:C9 the audience in a list of lists', headers({ pop: [pop({ aud: [[audience]] })] })],
    ['VCI:C10 no iat', headers({ pop: [pop({ iat: null })] })],
    ['VCI:C10 an old iat', headers({ pop: [pop({ iat: seconds - 301 })] })],
    ['VCI:C10 an iat to come', headers({ pop: [pop({ iat: seconds + 61 })] })],
    ['VCI:C10 no jti', headers({ pop: [pop({ jti: null })] })],
    ['VCI:C10 a jti of 10 kB', headers({ pop: [pop({ jti: 'x'.repeat(10_000) })] })],
  ])('refuses %s', async (_what, sent) => {
    await expect(verify(sent)).rejects.toThrow(refused);
  });

  it.each<[string, string, JsonObject, typeof attester]>([
    ['has an unknown kid', 'attester_not_trusted', { kid: 'x' }, other],
    ['has an unknown kid but a trusted signature', 'attester_not_trusted', { kid: 'x' }, attester],
    ['names nobody', 'attester_not_trusted', { kid: null }, other],
    ['claims the kid of a trusted attester', 'jws_signature_invalid', { kid: '11' }, other],
  ])('VCI:C4 tells the log why an attestation that %s is refused: %s', async (_what, reason, header, signer) => {
    const attesterKeys = ({ kid }: JsonObject) =>
      kid === undefined || kid === '11' ? [createPublicKey(attester)] : [];
    const sent = headers({ attestation: [attestation({}, header, signer)] });
    await expect(verify(sent, { attesterKeys })).rejects.toMatchObject({ code: 'invalid_client', reason });
  });

  it.each(['none', 'HS256', 'RS256', 'ES384'])('VCI:C3 refuses the algorithm %s in either token', async (alg) => {
    const renamed = (jwt: string) => {
      const [header = '', ...rest] = jwt.split('.');
      const members = { ...(JSON.parse(Buffer.from(header, 'base64url').toString()) as object), alg };
      return [Buffer.from(JSON.stringify(members)).toString('base64url'), ...rest].join('.');
    };
    await expect(verify(headers({ attestation: [renamed(attestation())] }))).rejects.toThrow(refused);
    await expect(verify(headers({ pop: [renamed(pop())] }))).rejects.toThrow(refused);
  });

  it.each([
    ['ES256', 'P-256', 'sha256'],
    ['ES384', 'P-384', 'sha384'],
    ['ES512', 'P-521', 'sha512'],
  ])('VCI:C3 takes %s of attester and instance, with keys of its curve alone', async (alg, namedCurve, hash) => {
    const [provider, device] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve }).privateKey) as [
      KeyObject,
      KeyObject,
    ];
    const signed = (typ: string, claims: JsonObject, key: KeyObject, named = alg) => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const input = `${encode({ typ, kid: '11', alg: named })}.${encode(claims)}`;
      return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    };
    const jwk = createPublicKey(device).export({ format: 'jwk' }) as JsonObject;
    const wallet = (cnf: JsonObject = jwk, named = alg) =>
      signed(
        'oauth-client-attestation+jwt',
        { sub: clientId, exp: seconds + 60, cnf: { jwk: { ...cnf } } },
        provider,
        named,
      );
    const claims = { aud: audience, jti: 'jti-1', iat: seconds, challenge: 'fresh' };
    const possession = (key = device, named = alg) => signed('oauth-client-attestation-pop+jwt', claims, key, named);
    const attesterKeys = () => [createPublicKey(provider)];
    const judged = (one: string, two: string) => verify({ attestation: [one], pop: [two] }, { attesterKeys });
    expect((await judged(wallet(), possession())).clientId).toBe(clientId);
    for (const [one, two] of [
      [wallet(), possession(provider)],
      [wallet({ ...jwk, use: 'enc' }), possession()],
      [wallet({ ...jwk, alg: 'ES256K' }), possession()],
      ...['ES256', 'ES384', 'ES512'].flatMap((other) =>
        other === alg
          ? []
          : [
              [wallet(jwk, other), possession()],
              [wallet(), possession(device, other)],
            ],
      ),
    ] as [string, string][]) {
      await expect(judged(one, two)).rejects.toThrow(refused);
    }
  });

  it('VCI:C5 asks for a fresh attestation when this one has expired', async () => {
    const old = headers({ attestation: [attestation({ exp: seconds - 61 })] });
    await expect(verify(old)).rejects.toThrow(code('use_fresh_attestation'));
  });

  it.each<[string, JsonObject]>([
    ['draft 07 with iss', { iss: clientId }],
    ['later drafts without', {}],
  ])('VCI:C6 takes a proof of %s', async (_what, changes) => {
    const issued = headers({ attestation: [attestation({ iss: 'https://attester.example' })], pop: [pop(changes)] });
    expect((await verify(issued)).clientId).toBe(clientId);
  });

  it.each<[string, JsonObject]>([
    ['missing', { challenge: null }],
    ['old', { challenge: 'stale' }],
    ['named nonce as in old drafts', { challenge: null, nonce: 'fresh' }],
  ])('VCI:C11 asks for a challenge, and brings one, when it is %s', async (_what, changes) => {
    const wanted = expect.objectContaining({ code: 'use_attestation_challenge', freshNonce: 'fresh' });
    await expect(verify(headers({ pop: [pop(changes)] }))).rejects.toThrow(wanted);
    expect((await verify(headers({ pop: [pop(changes)] }), { challenge: 'not_required' })).clientId).toBe(clientId);
  });

  it('VCI:C11 takes a proof without a challenge where that is optional, and none with a wrong one', async () => {
    const judged = (changes: JsonObject) =>
      verify(headers({ pop: [pop(changes)] }), { challenge, isChallengeOptional: true });
    expect((await judged({ challenge: null })).clientId).toBe(clientId);
    expect((await judged({})).clientId).toBe(clientId);
    const signed = (text: JsonValue) =>
      signCompactJws(
        { typ: 'oauth-client-attestation-pop+jwt' },
        { aud: audience, jti: 'jti-1', iat: seconds, challenge: text },
        instance,
      );
    for (const text of ['stale', '', null, 1, ['fresh']]) {
      const sent = headers({ pop: [signed(text)] });
      await expect(verify(sent, { challenge, isChallengeOptional: true })).rejects.toThrow(
        code('use_attestation_challenge'),
      );
    }
  });

  it('VCI:C13 refuses a client_id that is not the attested one', async () => {
    expect((await verify(headers(), { clientId })).clientId).toBe(clientId);
    await expect(verify(headers(), { clientId: 'https://other.example' })).rejects.toThrow(refused);
  });

  it('VCI:C10 gives one proof one digest, and another key or jti another one', async () => {
    const digest = async (sent: ClientAttestationHeaders) =>
      Buffer.from((await verify(sent)).replayDigest).toString('hex');
    const foreign = {
      attestation: [attestation({ cnf: { jwk: { ...exportPublicJwk(other) } } })],
      pop: [pop({}, {}, other)],
    };
    const sent = [headers(), headers({ pop: [pop({ jti: 'jti-2' })] }), foreign];
    const digests = await Promise.all(sent.map(digest));
    expect(await digest(headers({ pop: [pop({ iat: seconds - 1 })] }))).toBe(digests[0]);
    expect(new Set(digests).size).toBe(3);
  });

  it('remembers a proof for replicas whose clocks are a minute behind', async () => {
    const current = headers({ attestation: [attestation({ exp: seconds + 3_600 })] });
    const forgottenAt = (await verify(current)).expiresAt.getTime();
    await expect(verify(current, { now: new Date(forgottenAt - 60_000) })).rejects.toThrow(refused);
  });
});

interface Example {
  readonly attestation: { readonly jwt: string; readonly payload: { readonly cnf: { readonly jwk: JsonObject } } };
  readonly pop: { readonly jwt: string };
}

describeWithVectors('the example of draft 10', () => {
  it('VCI:C6 VCI:C8 holds where its attester is trusted, without iss', async () => {
    const example = readJsonVector('issuer/attestation-based-client-auth-10/example.json') as unknown as Example;
    // The attester's key is not published: its header and claims, signed anew, stand for it.
    const { header } = parseCompactJws(example.attestation.jwt);
    const { payload } = example.attestation as unknown as { payload: JsonObject };
    const resigned = signCompactJws(header, payload, attester);
    const sent = { attestation: [resigned], pop: [example.pop.jwt] };
    const changes = { audience: 'https://as.example.com', challenge: 'not_required' as const };
    expect((await verify(sent, { ...changes, now: new Date(1_772_487_600_000) })).clientId).toBe(
      'https://client.example.com',
    );
    await expect(verify(sent, changes)).rejects.toThrow(refused);
  });
});
