import fc from 'fast-check';
import { fastestAwaitedMilliseconds, describeWithVectors, readJsonVector } from '@vestibule/testkit';
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

async function expectTypedError(text: string): Promise<void> {
  try {
    await verifyDpopProof(text, expectation);
    throw new Error('accepted');
  } catch (error) {
    expect(error).toBeInstanceOf(OAuthError);
  }
}

describe('verifyDpopProof on a stranger’s bytes', () => {
  const encoded = fc.json().map((text) => Buffer.from(text).toString('base64url'));

  it('VCI:D1 answers any text with a typed error', async () => {
    await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), expectTypedError));
    await fc.assert(
      fc.asyncProperty(fc.tuple(encoded, encoded, encoded), (parts) => expectTypedError(parts.join('.'))),
    );
  });

  it('VCI:D1 answers 100 KB with a typed error at once', async () => {
    const brackets = Buffer.from('['.repeat(75_000)).toString('base64url');
    for (const text of ['.'.repeat(100_000), brackets, `${brackets}.e30.AA`]) {
      expect(await fastestAwaitedMilliseconds(() => expectTypedError(text))).toBeLessThan(50);
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

  it('VCI:D5 VCI:D11 VCI:D12 accepts all of them with the printed thumbprint', async () => {
    expect(vectors.length).toBe(3);
    for (const vector of vectors) expect((await verify(vector)).thumbprint).toBe(vector.jkt);
  });

  it('VCI:D10 sees the replay in the two that share a jti', async () => {
    const [first, second] = await Promise.all(vectors.map(async (vector) => (await verify(vector)).replayDigest));
    expect(first).toBeInstanceOf(Uint8Array);
    expect(first).toEqual(second);
  });
});
