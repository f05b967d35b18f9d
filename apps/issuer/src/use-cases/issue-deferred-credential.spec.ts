import { randomBytes } from 'node:crypto';
import { compactDecrypt, CompactEncrypt, decodeJwt, exportJWK, generateKeyPair, importJWK } from 'jose';
import { sha256 } from '@vestibule/crypto';
import { ProcessingFailure, type JsonObject } from '@vestibule/foundation';
import { isNotificationId, requestEncryptionKeys } from '@vestibule/oid4vci';
import {
  failsWith as code,
  INTERVAL_SECONDS,
  newNonce,
  NOTIFICATION_KEY,
  OFFER_ID,
  openForHolders,
  REQUEST_ENCRYPTION_SECRET,
  TOKEN,
  type EndpointOptions,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { CLAIMS, ISSUER_URL, NOW, TYPE_ID } from '../testing/issuer.fixture-spec';
import { issuingOver } from '../testing/running-issuer.fixture-spec';
import { credentialProof, keyProof, type WalletKey } from '../testing/wallet.fixture-spec';
import type { Grant } from '../domain/issuance';

let open: OpenEndpoint;
let holders: WalletKey[];
beforeAll(async () => {
  ({ open, holders } = await openForHolders(2));
});

const ID = 'the-transaction';
const URL = `${ISSUER_URL}/oidc4vci/deferred_credential`;
const publicKeys = () => holders.map(({ jwk }) => ({ kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y }) as const);
const deferral = (state: 'waiting' | 'ready', id = ID): Grant['deferral'] => ({
  state,
  transaction: { digest: sha256(id), keys: publicKeys() as never, statuses: [] },
});

/** A deferred credential endpoint, and a wallet that asks it. */
function endpoint(options: EndpointOptions) {
  const all = open(options);
  const { issueDeferredCredential: issue } = issuingOver(all.deps);
  const ask = async (body: unknown = { transaction_id: ID }, message: object = {}) =>
    issue({
      authorization: [`DPoP ${TOKEN}`],
      dpop: [await credentialProof(all.dpopKey, TOKEN, { htu: URL })],
      body,
      ...message,
    });
  return { ...all, ask };
}

describe('issueCredential of a deferred offer', () => {
  it('VCI:P5 VCI:F1 promises the credential for the proved keys, and signs nothing', async () => {
    const { send, proofs, asked, promises, events, nonces } = open({ grant: { deferral: { state: 'waiting' } } });
    const nonce = newNonce();
    const answer = await send({ proofs: await proofs(...holders.map((key) => keyProof(key, nonce))) });
    expect(answer).toEqual({ transaction_id: expect.stringMatching(/^[\w-]{43}$/), interval: INTERVAL_SECONDS });
    const [promise] = promises;
    const { transaction_id: id } = answer as { transaction_id: string };
    expect(promise).toMatchObject({ transactionDigest: sha256(id), keys: publicKeys() });
    expect(asked).toEqual(['token', 'proof', 'defer']);
    expect([events, nonces.length]).toEqual([[], 1]);
  });

  it('VCI:P5 VCI:F2 gives the same transaction_id for the same keys, whatever the nonce, and no other', async () => {
    const idOf = async (keys: readonly WalletKey[]) => {
      const { send, proofs } = open({ grant: { deferral: { state: 'waiting' } } });
      const answer = await send({ proofs: await proofs(...keys.map((key) => keyProof(key, newNonce()))) });
      return (answer as { transaction_id: string }).transaction_id;
    };
    const both = await idOf(holders);
    expect(await idOf(holders)).toBe(both);
    expect(await idOf([...holders].reverse())).not.toBe(both);
    expect(await idOf(holders.slice(0, 1))).not.toBe(both);
  });

  it('VCI:P5 answers at once when the claims came before the wallet', async () => {
    const { send, asked } = open({ grant: { deferral: { state: 'ready' } } });
    await expect(send()).resolves.toHaveProperty('credentials');
    expect(asked).toEqual(['token', 'proof', 'sign', 'complete']);
  });

  it('VCI:F3 lets the wallet begin anew when the claims were replaced while it was answered', async () => {
    const { send } = open({
      grant: { deferral: { state: 'ready' } },
      deps: { complete: async () => 'claims_changed' },
    });
    await expect(send()).rejects.toEqual(code('invalid_nonce'));
  });

  it.each([
    ['nonce_used', 'invalid_nonce'],
    ['ended', 'credential_request_denied'],
  ] as const)('VCI:F4 promises nothing when the store says %s: %s', async (outcome, expected) => {
    const { send } = open({ grant: { deferral: { state: 'waiting' } }, deps: { defer: async () => outcome } });
    await expect(send()).rejects.toEqual(code(expected));
  });

  it.each(['ISSUED', 'FAILED'] as const)('VCI:F4 is denied after %s', async (status) => {
    const { send, promises } = open({ grant: { status, claims: undefined, deferral: deferral('waiting') } });
    await expect(send()).rejects.toEqual(code('credential_request_denied'));
    expect(promises).toEqual([]);
  });
});

describe('issueDeferredCredential', () => {
  it('VCI:F3 repeats the promise with the same id as long as the claims are to come', async () => {
    const { ask, asked, events } = endpoint({ grant: { deferral: deferral('waiting') } });
    expect(await ask()).toEqual({ transaction_id: ID, interval: INTERVAL_SECONDS });
    expect(await ask({ transaction_id: ID, more: 1 })).toEqual({ transaction_id: ID, interval: INTERVAL_SECONDS });
    expect([events, asked.includes('sign')]).toEqual([[], false]);
  });

  it('VCI:F1 VCI:P3 VCI:P4 gives a credential for each promised key, in order, and ends the offer as ISSUED', async () => {
    const { ask, events, asked } = endpoint({ grant: { deferral: deferral('ready') } });
    const answer = await ask();
    if (!('credentials' in answer)) throw new Error('there are no credentials');
    const keys = answer.credentials.map(({ credential }) => {
      const { cnf } = decodeJwt(credential.split('~', 1)[0] as string) as { cnf: { jwk: JsonObject } };
      return cnf.jwk;
    });
    expect(keys).toEqual(publicKeys());
    expect(isNotificationId(answer.notification_id as string, OFFER_ID, [NOTIFICATION_KEY])).toBe(true);
    expect(events).toEqual([{ eventId: OFFER_ID, status: 'ISSUED', offerId: OFFER_ID }]);
    expect(asked.at(-1)).toBe('complete');
  });

  it.each<[string, () => Partial<Grant>]>([
    ['VCI:F5 of another token', () => ({ deferral: deferral('ready', 'of another wallet') })],
    ['VCI:F2 that was never promised', () => ({ deferral: { state: 'ready' } })],
    ['VCI:F2 of an offer that is not deferred', () => ({})],
    ['VCI:F2 that was kept', () => ({ status: 'ISSUED', claims: undefined, deferral: deferral('ready') })],
    [
      'VCI:F2 that was kept, with claims that stay',
      () => ({ status: 'ISSUED', claims: CLAIMS, deferral: deferral('ready') }),
    ],
  ])('%s is invalid_transaction_id', async (_what, grant) => {
    const { ask, asked, events } = endpoint({ grant: grant() });
    await expect(ask()).rejects.toEqual(code('invalid_transaction_id'));
    expect([asked, events]).toEqual([['token', 'proof'], []]);
  });

  it('VCI:F3 repeats the promise when the claims were replaced while they were signed', async () => {
    const complete = jest.fn(async () => 'claims_changed' as const);
    const claimsVersion = sha256('the first claims');
    const { ask, events } = endpoint({ grant: { deferral: deferral('ready'), claimsVersion }, deps: { complete } });
    expect(await ask()).toEqual({ transaction_id: ID, interval: INTERVAL_SECONDS });
    const offer = expect.objectContaining({ claimsVersion }) as unknown;
    expect(complete).toHaveBeenCalledWith(expect.objectContaining({ offer, nonces: [], now: NOW }));
    expect(events).toEqual([]);
  });

  it.each([true, false])(
    'VCI:F7 has a notification_id unless that is switched off (%s)',
    async (deferredNotificationId) => {
      const { ask, send } = endpoint({ grant: { deferral: deferral('ready') }, deps: { deferredNotificationId } });
      const names = ['credentials', ...(deferredNotificationId ? ['notification_id'] : [])];
      expect(Object.keys(await ask())).toEqual(expect.arrayContaining(names));
      expect(Object.hasOwn(await ask(), 'notification_id')).toBe(deferredNotificationId);
      // The switch is about deferred answers alone.
      expect(await send()).toHaveProperty('notification_id');
    },
  );

  it('VCI:F2 is invalid_transaction_id for the one who lost the race', async () => {
    const { ask, events } = endpoint({
      grant: { deferral: deferral('ready') },
      deps: { complete: async () => 'ended' },
    });
    await expect(ask()).rejects.toEqual(code('invalid_transaction_id'));
    expect(events).toEqual([]);
  });

  it.each(['FAILED', 'EXPIRED', 'OFFER_CREATED'] as const)(
    'VCI:F4 is denied when it could not be completed, and was not collected either: %s',
    async (status) => {
      const view = { offer_id: OFFER_ID, status, created_at: 'x', expires_at: 'y' };
      const { ask, events } = endpoint({
        grant: { deferral: deferral('ready') },
        deps: {
          complete: async () => 'ended',
          findView: async () => ({ configurationId: TYPE_ID, view, shortenedTo: undefined }),
        },
      });
      await expect(ask()).rejects.toEqual(code('credential_request_denied'));
      expect(events).toEqual([]);
    },
  );

  it('VCI:F4 is denied when the backend denied or cancelled', async () => {
    const { ask } = endpoint({ grant: { status: 'FAILED', claims: undefined, deferral: deferral('waiting') } });
    await expect(ask()).rejects.toEqual(code('credential_request_denied'));
  });

  it('VCI:F4 ends as FAILED and is denied when it cannot be signed', async () => {
    const signerAt = () => {
      throw new ProcessingFailure('signing_certificate_expired', 'renew it');
    };
    const { ask, events } = endpoint({ grant: { deferral: deferral('ready') }, deps: { signerAt } });
    await expect(ask()).rejects.toEqual(code('credential_request_denied'));
    expect(events).toMatchObject([{ status: 'FAILED' }]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an array', []],
    ['no id', {}],
    ['an empty id', { transaction_id: '' }],
    ['an id that is no text', { transaction_id: 1 }],
  ])('VCI:F1 refuses %s with invalid_credential_request', async (_what, body) => {
    const { ask } = endpoint({ grant: { deferral: deferral('ready') } });
    await expect(ask(body ?? null)).rejects.toEqual(code('invalid_credential_request'));
  });

  it('VCI:F1 wants the DPoP proof to be for its own address', async () => {
    const { ask, dpopKey } = endpoint({ grant: { deferral: deferral('ready') } });
    const dpop = [await credentialProof(dpopKey, TOKEN)];
    await expect(ask(undefined, { dpop })).rejects.toEqual(code('invalid_dpop_proof'));
    await expect(ask(undefined, { authorization: [] })).rejects.toEqual(code('invalid_token'));
  });
});

describe('encryption of promised credentials', () => {
  const { published } = requestEncryptionKeys([REQUEST_ENCRYPTION_SECRET], NOW);
  const seal = async (body: object) =>
    new CompactEncrypt(Buffer.from(JSON.stringify(body)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: published.kid })
      .encrypt(await importJWK({ ...published.publicJwk, alg: 'ECDH-ES' }, 'ECDH-ES'));
  const wallet = async (kid: string) => {
    const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), alg: 'ECDH-ES', kid };
    const read = async (answer: unknown) => {
      const { jwe } = answer as { jwe: string };
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, pair.privateKey);
      return { json: JSON.parse(Buffer.from(plaintext).toString()) as JsonObject, kid: protectedHeader.kid };
    };
    return { wish: { jwk, enc: 'A128GCM' }, read };
  };

  it('VCI:E6 the promise is encrypted as the credential would be', async () => {
    const { wish, read } = await wallet('first');
    const { issue, body, request } = open({ grant: { deferral: { state: 'waiting' } } });
    const jwt = await seal(await body({ credential_response_encryption: wish }));
    const answer = await issue(await request({ body: undefined, jwt }));
    expect(answer).toMatchObject({ pending: true });
    expect((await read(answer)).json).toEqual({ transaction_id: expect.any(String), interval: INTERVAL_SECONDS });
  });

  it('VCI:E10 each deferred request brings its own key, and none means a plain answer', async () => {
    const [second, third] = [await wallet('second'), await wallet('third')];
    const { ask } = endpoint({ grant: { deferral: deferral('waiting') } });
    for (const { wish, read } of [second, third]) {
      const answer = await ask(undefined, {
        body: undefined,
        jwt: await seal({ transaction_id: ID, credential_response_encryption: wish }),
      });
      expect((await read(answer)).kid).toBe(wish.jwk.kid);
    }
    expect(await ask()).toHaveProperty('transaction_id');
  });

  it('VCI:E5 encrypted credentials come with pending false', async () => {
    const { wish, read } = await wallet('first');
    const { ask } = endpoint({ grant: { deferral: deferral('ready') } });
    const jwt = await seal({ transaction_id: ID, credential_response_encryption: wish });
    const answer = await ask(undefined, { body: undefined, jwt });
    expect(answer).toMatchObject({ pending: false });
    expect((await read(answer)).json).toHaveProperty('credentials');
  });

  it('VCI:E9 a key of yesterday still opens requests', async () => {
    const late = new Date(NOW.getTime() + 86_400_000);
    const { issue, body, dpopKey } = open({ deps: { clock: () => late } });
    const iat = late.getTime() / 1000;
    const proofs = { jwt: [await keyProof(holders[0] as WalletKey, newNonce({ now: late }), { iat })] };
    const jwt = await seal(await body({ proofs }));
    const dpop = [await credentialProof(dpopKey, TOKEN, { iat })];
    await expect(issue({ authorization: [`DPoP ${TOKEN}`], dpop, jwt })).resolves.toHaveProperty('credentials');
  });

  it('VCI:E2 a plain request is refused where encryption is required, after the token was judged', async () => {
    const { send, asked } = open({ deps: { encryptionRequired: true, random: randomBytes } });
    await expect(send()).rejects.toEqual(code('invalid_encryption_parameters'));
    expect(asked).toEqual(['token', 'proof']);
  });

  it('VCI:E3 a wish in a plain request is refused', async () => {
    const { wish } = await wallet('first');
    await expect(open().send({ credential_response_encryption: wish })).rejects.toEqual(
      code('invalid_encryption_parameters'),
    );
  });
});
