import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { parseSdJwtVc, verifyIssuerSignature } from './index';
import {
  baseHeader,
  basePayload,
  build,
  encodeJson,
  failsWith,
  issuer,
  stranger,
  strangerJwk,
  toBase64url,
} from './testing/sd-jwt-builder.fixture-spec';

const verify = (text: string, key = issuer.publicKey) => verifyIssuerSignature(parseSdJwtVc(text), key);
const invalid = failsWith('issuer_signature_invalid');

describe("VP:K4 the issuer's signature", () => {
  it('is verified over the received bytes, whatever their spelling', () => {
    const payload = JSON.stringify(basePayload, null, 2).replace('"vct"', '"\\u0076ct"');
    expect(() => verify(build({ payload }))).not.toThrow();
  });

  it('fails when header, payload or signature were changed (sd:neg-issuer-sig-tampered)', () => {
    const [header, payload, signature = ''] = build().slice(0, -1).split('.');
    const otherHeader = encodeJson({ ...baseHeader, kid: '1' });
    const otherPayload = encodeJson({ ...basePayload, vct: 'urn:other' });
    const otherSignature = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(() => verify(`${otherHeader}.${payload}.${signature}~`)).toThrow(invalid);
    expect(() => verify(`${header}.${otherPayload}.${signature}~`)).toThrow(invalid);
    expect(() => verify(`${header}.${payload}.${otherSignature}~`)).toThrow(invalid);
  });

  it('in DER is refused (sd:neg-issuer-sig-der)', () => {
    const input = `${encodeJson(baseHeader)}.${encodeJson(basePayload)}`;
    const der = sign('sha256', Buffer.from(input), issuer.privateKey);
    expect(() => verify(`${input}.${toBase64url(der)}~`)).toThrow(invalid);
  });

  it('VP:K3 by a key on another curve is refused (sd:neg-alg-key-curve-mismatch)', () => {
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(() => verify(build({ key: p384.privateKey }), p384.publicKey)).toThrow(invalid);
    expect(() => verify(build({ key: rsa.privateKey }), rsa.publicKey)).toThrow(invalid);
  });

  it('VP:K6 is never verified with a key that a header brings (sd:neg-jwk-header-injection)', () => {
    const injected = { jwk: strangerJwk, jku: 'https://evil.example/jwks', kid: 'evil', x5u: 'https://evil.example/x' };
    const forged = build({ header: injected, key: stranger.privateKey });
    expect(() => verify(forged)).toThrow(invalid);
    expect(() => verify(build({ header: injected }))).not.toThrow();
  });

  it('verifies with the public half of a private key too', () => {
    const key = createPrivateKey({ key: issuer.privateKey.export({ format: 'jwk' }), format: 'jwk' });
    expect(() => verify(build({ key }))).not.toThrow();
  });
});
