import { createPublicKey } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { signEs256 } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import { ISSUER_URL, NOW } from '../testing/issuer.fixture-spec';
import { createWalletKey, type WalletKey } from '../testing/wallet.fixture-spec';
import { getSignedMetadata } from './get-signed-metadata';

const METADATA = { credential_issuer: ISSUER_URL, credential_configurations_supported: { a: { scope: 'a' } } };
const DOCUMENTS = {
  'openid-credential-issuer': JSON.stringify(METADATA),
  'oauth-authorization-server': '{}',
  'jwt-vc-issuer': '{}',
};

let key: WalletKey;
beforeAll(async () => {
  key = await createWalletKey();
});

/** Signed metadata under a clock and certificates that a test may change. */
function stage(signsMetadata = true) {
  const world = { now: NOW, x5c: ['MIIB', 'MIIC'], documents: DOCUMENTS, isAway: false };
  const signatures = { asked: 0 };
  const reported: unknown[] = [];
  const get = getSignedMetadata({
    clock: () => world.now,
    issuerUrl: ISSUER_URL,
    documents: {
      ...DOCUMENTS,
      get 'openid-credential-issuer'() {
        return world.documents['openid-credential-issuer'];
      },
    },
    signsMetadata,
    signerAt: () => ({
      requireReady: () => undefined,
      sign: async (input) => {
        signatures.asked += 1;
        await Promise.resolve();
        if (world.isAway) throw new ProcessingFailure('signer_unavailable', 'no answer');
        return signEs256(key.privateKey, input);
      },
      x5c: world.x5c,
      certificateNotBefore: NOW,
      chainEndsAt: new Date('2036-01-01T00:00:00Z'),
    }),
    reportFailure: (error) => void reported.push(error),
  });
  const sign = async () => (await get()).jwt ?? '';
  const pass = (seconds: number) => {
    world.now = new Date(world.now.getTime() + seconds * 1000);
  };
  return { world, get, sign, pass, signatures, reported };
}

describe('getSignedMetadata', () => {
  it('VCI:S2 is an ES256 JWT of the right type with the chain of the issuer', async () => {
    const jwt = await stage().sign();
    await compactVerify(jwt, createPublicKey(key.privateKey));
    expect(decodeProtectedHeader(jwt)).toEqual({
      alg: 'ES256',
      typ: 'openidvci-issuer-metadata+jwt',
      x5c: ['MIIB', 'MIIC'],
    });
  });

  it('VCI:S3 says what the JSON form says, and who says it and when', async () => {
    const { iss, sub, iat, exp, ...claims } = decodeJwt(await stage().sign());
    expect(claims).toEqual(METADATA);
    expect([iss, sub]).toEqual([ISSUER_URL, ISSUER_URL]);
    expect([iat, exp]).toEqual([NOW.getTime() / 1000, NOW.getTime() / 1000 + 86_400]);
  });

  it('VCI:S5 is signed anew each hour and with another certificate, and not in between', async () => {
    const { world, sign, pass } = stage();
    const first = await sign();
    pass(3_599);
    expect(await sign()).toBe(first);
    pass(1);
    const second = await sign();
    expect(decodeJwt(second).iat).toBe(NOW.getTime() / 1000 + 3_600);
    world.x5c = ['MIID'];
    expect(decodeProtectedHeader(await sign()).x5c).toEqual(['MIID']);
  });

  it('VCI:S5 VCI:E9 is signed anew at once when the document names another key', async () => {
    const { world, sign } = stage();
    const before = await sign();
    const changed = { ...METADATA, credential_request_encryption: { jwks: { keys: [{ kid: 'tomorrow' }] } } };
    world.documents = { ...DOCUMENTS, 'openid-credential-issuer': JSON.stringify(changed) };
    expect(await sign()).not.toBe(before);
    expect(decodeJwt(await sign())).toMatchObject(changed);
  });

  it('VCI:S5 is signed once for all concurrent callers', async () => {
    const { sign, pass, signatures } = stage();
    expect(new Set(await Promise.all(Array.from({ length: 20 }, sign))).size).toBe(1);
    pass(3_600);
    await Promise.all(Array.from({ length: 20 }, sign));
    expect(signatures.asked).toBe(2);
  });

  it('VCI:S5 stays what it was while the key cannot be reached, for its day, and asks the key once a minute', async () => {
    const { world, sign, pass, signatures, reported } = stage();
    const first = await sign();
    world.isAway = true;
    pass(3_600);
    expect([await sign(), await sign()]).toEqual([first, first]);
    expect([signatures.asked, reported.length]).toEqual([2, 1]);
    pass(60);
    world.isAway = false;
    expect(await sign()).not.toBe(first);
    world.isAway = true;
    pass(86_400);
    await expect(sign()).rejects.toMatchObject({ code: 'signer_unavailable' });
    expect(signatures.asked).toBe(4);
  });

  it('VCI:S5 is signed anew once a clock that was a day ahead is right, also where the key could not be reached then', async () => {
    const { world, sign, pass, signatures } = stage();
    const iat = NOW.getTime() / 1000;
    pass(86_400);
    expect(decodeJwt(await sign()).iat).toBe(iat + 86_400);
    pass(-86_400);
    const right = await sign();
    expect(decodeJwt(right).iat).toBe(iat);
    world.isAway = true;
    pass(80_000);
    expect(await sign()).toBe(right);
    pass(-70_000);
    world.isAway = false;
    expect(decodeJwt(await sign()).iat).toBe(iat + 10_000);
    expect(signatures.asked).toBe(4);
  });

  it('VCI:S5 is never that of a former certificate', async () => {
    const { world, sign } = stage();
    await sign();
    Object.assign(world, { isAway: true, x5c: ['MIID'] });
    await expect(sign()).rejects.toMatchObject({ code: 'signer_unavailable' });
  });

  it('VCI:S1 is nothing where it is switched off', async () => {
    expect(await stage(false).get()).toEqual({});
  });
});
