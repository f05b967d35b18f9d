import { createPublicKey } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { describeWithVectors, readJsonVector, readVector } from '@vestibule/testkit';
import { parseDisclosure } from './disclosure';
import { hashBase64url } from './hash-algorithm';
import { parseSdJwtVc, unpackClaims, verifyIssuerSignature, verifyKeyBinding } from './index';
import { parseSdJwt } from './parse-sd-jwt';
import { failsWith, signJws } from './testing/sd-jwt-builder.fixture-spec';
import { compactClaims, unpackPayload } from './unpack-payload';

const rfc = 'verifier/rfc9901-sd-jwt';
const vc = 'verifier/sd-jwt-vc';
const readJson = (file: string) => readJsonVector(file) as JsonObject;
const publishedKey = () => createPublicKey({ key: { ...readJson(`${rfc}/issuer_key_A5.json`) }, format: 'jwk' });
const limits = { maxDepth: 32, maxLength: 10_000 };

function unpackGeneric(text: string) {
  const sdJwt = parseSdJwt(text);
  verifyIssuerSignature(sdJwt, publishedKey());
  return { sdJwt, claims: compactClaims(unpackPayload(sdJwt)) };
}

describeWithVectors('the presentations of RFC 9901 and SD-JWT VC', () => {
  it.each([
    `${rfc}/main-example`,
    `${rfc}/structured-simple-decoy-A1`,
    `${rfc}/structured-complex-A2`,
    `${rfc}/sd-jwt-vc-pid-A3`,
    `${rfc}/w3c-vcdm-A4`,
    `${vc}/example-01-kb`,
    `${vc}/example-02-nokb`,
    `${vc}/pid-A1`,
  ])('VP:K17 VP:K18 %s verifies and gives the published claims', (folder) => {
    const { claims } = unpackGeneric(readVector(`${folder}/presentation.txt`));
    expect(claims).toEqual(readJson(`${folder}/verified.json`));
  });

  it.each([
    `${rfc}/main-example`,
    `${rfc}/sd-jwt-vc-pid-A3`,
    `${rfc}/w3c-vcdm-A4`,
    `${vc}/example-01-kb`,
    `${vc}/pid-A1`,
  ])('%s gives all claims of its user as it was issued', (folder) => {
    const { sdJwt, claims } = unpackGeneric(readVector(`${folder}/issuance.txt`));
    expect(claims).toMatchObject(readJson(`${folder}/user_claims.json`));
    expect(sdJwt.payload).toEqual(readJson(`${folder}/sd_jwt_payload.json`));
  });

  it.each([
    [`${rfc}/main-example`, 'https://verifier.example.org'],
    [`${rfc}/sd-jwt-vc-pid-A3`, 'https://verifier.example.org'],
    [`${rfc}/w3c-vcdm-A4`, 'https://verifier.example.org'],
    [`${vc}/example-01-kb`, 'https://example.com/verifier'],
    [`${vc}/pid-A1`, 'https://example.com/verifier'],
  ])('VP:M7 VP:M11 %s is bound to the published key', (folder, audience) => {
    const { sdJwt, claims } = unpackGeneric(readVector(`${folder}/presentation.txt`));
    const [, encoded = ''] = (sdJwt.keyBindingJwt ?? '').split('.');
    const { iat } = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as { iat: number };
    const at = new Date(iat * 1000);
    const rest = { requestedAt: at, now: at, skewSeconds: 0, transactionData: [] };
    const expected = { audience, nonce: '1234567890', ...rest };
    const { thumbprint } = verifyKeyBinding(sdJwt, claims, expected);
    expect(thumbprint).toBe('aISfTcr9M_Zd09AXGAAeFxnLbFY6lBa87UN515wm5d4');
    const otherNonce = { ...expected, nonce: 'other' };
    expect(() => verifyKeyBinding(sdJwt, claims, otherNonce)).toThrow(failsWith('key_binding_nonce'));
  });

  it.each([`${rfc}/sd-jwt-vc-pid-A3`, `${vc}/example-01-kb`, `${vc}/example-02-nokb`, `${vc}/pid-A1`])(
    'VP:L1 %s is an SD-JWT VC with a type',
    (folder) => {
      const { vct, iss } = unpackClaims(parseSdJwtVc(readVector(`${folder}/presentation.txt`)));
      expect(readJson(`${folder}/verified.json`)).toMatchObject({ vct, iss });
    },
  );

  it('VP:L1 the examples of another type are no SD-JWT VC', () => {
    const text = readVector(`${rfc}/main-example/presentation.txt`);
    expect(() => parseSdJwtVc(text)).toThrow(failsWith('type_header_wrong'));
  });

  it.each(['flattened', 'general'])('VP:K22 the %s JSON serialization is refused', (form) => {
    const text = JSON.stringify(readJson(`${rfc}/json-serialization/${form}_presentation.json`));
    expect(() => parseSdJwtVc(text)).toThrow(failsWith('sd_jwt_malformed'));
  });
});

describeWithVectors('the payloads of RFC 9901 section 6', () => {
  it.each([
    ['flat_payload_6_1', {}],
    ['structured_payload_6_2a', { address: {} }],
    ['structured_payload_6_2b', { address: { country: 'DE' } }],
    ['recursive_payload_6_3', {}],
  ])('VP:K17 %s shows what is plain when nothing is disclosed', (name, address) => {
    const payload = readJson(`${rfc}/nested-data/${name}.json`);
    const sdJwt = parseSdJwt(`${signJws({ alg: 'ES256' }, payload)}~`);
    const { iss, iat, exp, sub } = payload;
    const plain = Object.fromEntries(Object.entries({ iss, iat, exp, sub }).filter(([, value]) => value !== undefined));
    expect(compactClaims(unpackPayload(sdJwt))).toEqual({ ...plain, ...address });
  });
});

describeWithVectors('the disclosures of RFC 9901 section 4.2', () => {
  interface Vector {
    readonly disclosure: string;
    readonly decoded: readonly unknown[];
    readonly sha256?: string;
    readonly digest_sha256?: string;
  }

  it.each([`${rfc}/disclosure-digests.json`, 'issuer/sd-jwt-rfc9901/disclosure_digests.json'])(
    'VP:K8 VCI:V12 %s decode and hash as published',
    (file) => {
      const vectors = readJsonVector(file) as Vector[];
      expect(vectors.length).toBeGreaterThan(1);
      for (const { disclosure, decoded, sha256, digest_sha256 } of vectors) {
        const { name, value } = parseDisclosure(disclosure, limits);
        expect(name === undefined ? [value] : [name, value]).toEqual(decoded.slice(1));
        const digest = sha256 ?? digest_sha256;
        if (digest !== undefined) expect(hashBase64url('sha-256', disclosure)).toBe(digest);
      }
    },
  );
});
