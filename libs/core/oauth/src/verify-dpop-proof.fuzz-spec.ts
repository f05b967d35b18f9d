import fc from 'fast-check';
import { fastestMilliseconds, describeWithVectors, readJsonVector } from '@vestibule/testkit';
import { OAuthError, verifyDpopProof } from './index';

const expectation = {
  method: 'POST',
  url: 'https://server.example.com/token',
  now: new Date(1_562_262_616_000),
  token: 'unbound',
  nonce: 'not_required',
} as const;

interface Vector {
  jwt: string;
  jkt: string;
  payload: { htm: string; htu: string; iat: number };
  access_token?: string;
}

function expectTypedError(text: string): void {
  try {
    verifyDpopProof(text, expectation);
    throw new Error('accepted');
  } catch (error) {
    expect(error).toBeInstanceOf(OAuthError);
  }
}

describe('verifyDpopProof on a stranger’s bytes', () => {
  const encoded = fc.json().map((text) => Buffer.from(text).toString('base64url'));

  it('VCI:D1 answers any text with a typed error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), expectTypedError));
    fc.assert(fc.property(fc.tuple(encoded, encoded, encoded), (parts) => expectTypedError(parts.join('.'))));
  });

  it('VCI:D1 answers 100 KB with a typed error at once', () => {
    const brackets = Buffer.from('['.repeat(75_000)).toString('base64url');
    for (const text of ['.'.repeat(100_000), brackets, `${brackets}.e30.AA`]) {
      expect(fastestMilliseconds(() => expectTypedError(text))).toBeLessThan(50);
    }
  });
});

describeWithVectors('verifyDpopProof on the examples of RFC 9449', () => {
  const vectors = readJsonVector('issuer/dpop-rfc9449/proofs.json') as Vector[];
  const verify = ({ jwt, jkt, payload, access_token: accessToken }: Vector) =>
    verifyDpopProof(jwt, {
      method: payload.htm,
      url: payload.htu,
      now: new Date(payload.iat * 1000),
      token: accessToken === undefined ? 'unbound' : { accessToken, thumbprint: jkt },
      nonce: 'not_required',
    });

  it('VCI:D5 VCI:D11 VCI:D12 accepts all of them with the printed thumbprint', () => {
    expect(vectors.length).toBe(3);
    for (const vector of vectors) expect(verify(vector).thumbprint).toBe(vector.jkt);
  });

  it('VCI:D10 sees the replay in the two that share a jti', () => {
    const [first, second] = vectors.map((vector) => verify(vector).replayDigest);
    expect(first).toEqual(second);
  });
});
