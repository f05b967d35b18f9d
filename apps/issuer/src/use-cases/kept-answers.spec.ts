import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CredentialAnswer } from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import { requestEncryptionKeys } from '@vestibule/oid4vci';
import type { Completion } from '../domain/issuance';
import { digestOfKeys, digestOfTransaction, isKept } from '../domain/kept-answer';
import {
  divide,
  failsWith as code,
  newNonce,
  openForHolders,
  REDELIVERY_SECONDS,
  REQUEST_ENCRYPTION_SECRET,
  TOKEN,
  type EndpointOptions,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { CLAIMS, ISSUER_URL, NOW } from '../testing/issuer.fixture-spec';
import { issuingOver } from '../testing/running-issuer.fixture-spec';
import { credentialProof, keyProof, withBrokenSignature, type WalletKey } from '../testing/wallet.fixture-spec';

let open: OpenEndpoint;
let holders: WalletKey[];
beforeAll(async () => {
  ({ open, holders } = await openForHolders(2));
});

/** An endpoint over a store that keeps what it is given, and says ISSUED then. */
function keeping({ deps = {}, grant = {} }: EndpointOptions = {}) {
  const kept = new Map<string, Uint8Array>();
  const completions: Completion[] = [];
  const name = (token: Uint8Array, request: Uint8Array) =>
    `${Buffer.from(token).toString('hex')} ${Buffer.from(request).toString('hex')}`;
  const complete = async (completion: Completion) => {
    completions.push(completion);
    const { kept: answer, offer } = completion;
    if (answer) kept.set(name(sha256(offer.accessToken), answer.requestDigest), answer.sealed);
    return 'issued' as const;
  };
  const all = { complete, findKept: async (token: Uint8Array, request: Uint8Array) => kept.get(name(token, request)) };
  const first = open({ deps: { ...all, ...deps }, grant });
  /** The same endpoint after ISSUED; its wallet has the same keys. */
  const later = (requests: readonly Uint8Array[], changes: EndpointOptions = {}) =>
    open({
      deps: { ...all, ...deps, ...changes.deps },
      grant: { ...grant, status: 'ISSUED', claims: undefined, keptRequests: requests, ...changes.grant },
    });
  return { first, later, completions, kept };
}
/** The answer as its wallet gets it. */
const same = (answer: CredentialAnswer) => divide(answer)[0];
const keptOf = (completions: readonly Completion[]) => completions.map(({ kept }) => kept?.requestDigest as Uint8Array);

describe('an answer that is kept', () => {
  it('VCI:P8 is given again for the same key, whatever the nonce, and nothing is signed, spent or told', async () => {
    const { first, later, completions } = keeping();
    const answer = await first.send();
    const again = later(keptOf(completions));
    const old = newNonce({ now: new Date(NOW.getTime() - 301_000) });
    for (const nonce of [newNonce(), old, 'of-nobody']) {
      const proofs = await again.proofs(keyProof(again.holder, nonce));
      expect(same(await again.send({ proofs }))).toEqual(same(answer));
    }
    expect([again.events, again.nonces, again.completed]).toEqual([[], [], []]);
    expect(new Set(again.asked)).toEqual(new Set(['token', 'proof']));
  });

  it('VCI:P8 is kept for so long, sealed, and by the keys of the request', async () => {
    const { first, completions } = keeping();
    const answer = await first.send();
    const [kept] = completions.map((completion) => completion.kept);
    expect(kept?.expiresAt).toEqual(new Date(NOW.getTime() + REDELIVERY_SECONDS * 1000));
    expect(kept?.requestDigest).toEqual(digestOfKeys([first.holder.thumbprint]));
    const text = Buffer.from(kept?.sealed as Uint8Array).toString('latin1');
    expect(text).not.toContain((answer as { notification_id: string }).notification_id);
  });

  it('VCI:P8 is none with REDELIVERY_SECONDS=0', async () => {
    const { first, completions } = keeping({ deps: { redeliverySeconds: 0 } });
    await first.send();
    expect(completions.map(({ kept }) => kept)).toEqual([undefined]);
  });

  it('VCI:P8 is denied for another key, one key more, and the same keys in another order', async () => {
    const { first, later, completions } = keeping();
    const [one, two] = holders as [WalletKey, WalletKey];
    const send = async ({ send: ask, proofs }: ReturnType<OpenEndpoint>, ...keys: readonly WalletKey[]) => {
      const nonce = newNonce();
      return ask({ proofs: await proofs(...keys.map((key) => keyProof(key, nonce))) });
    };
    const answer = await send(first, one, two);
    const again = later(keptOf(completions));
    for (const keys of [[two, one], [one], [two], [one, two, again.holder]])
      await expect(send(again, ...keys)).rejects.toEqual(code('credential_request_denied'));
    expect(same(await send(again, one, two))).toEqual(same(answer));
  });

  it('VCI:J8 VCI:P8 is judged as always: proofs with another audience or signature, and the request itself', async () => {
    const { first, later, completions } = keeping();
    await first.send();
    const again = later(keptOf(completions));
    const wrong = [
      keyProof(again.holder, newNonce(), { aud: 'https://other.example' }),
      keyProof(again.holder, newNonce()).then(withBrokenSignature),
    ];
    for (const proof of wrong)
      await expect(again.send({ proofs: await again.proofs(proof) })).rejects.toEqual(code('invalid_proof'));
    await expect(again.send({ credential_configuration_id: 'other' })).rejects.toThrow();
    const request = await again.request();
    await again.issue(request);
    await expect(again.issue(request)).rejects.toEqual(code('invalid_dpop_proof'));
  });

  it('VCI:P8 is denied when it went between the two looks at it', async () => {
    const { first, later, completions, kept } = keeping();
    await first.send();
    kept.clear();
    await expect(later(keptOf(completions)).send()).rejects.toEqual(code('credential_request_denied'));
  });

  it('VCI:P8 has the wallet ask anew when it went between the two looks and claims are kept for further requests', async () => {
    const { first, later, completions, kept } = keeping();
    await first.send();
    kept.clear();
    const again = later(keptOf(completions), { grant: { claims: CLAIMS } });
    await expect(again.send()).rejects.toEqual(code('invalid_nonce'));
  });

  it('VCI:P8 opens for nobody else: what another offer, request or token was given is seal_broken', async () => {
    const { first, later, completions, kept } = keeping();
    await first.send();
    const again = later(keptOf(completions), { grant: { offerId: 'another-offer' } });
    await expect(again.send()).rejects.toEqual(code('seal_broken'));
    const [[, sealed]] = [...kept] as [[string, Uint8Array]];
    const request = digestOfKeys([holders[0]?.thumbprint as string]);
    const moved = later([request], { deps: { findKept: async () => sealed } });
    const proofs = await moved.proofs(keyProof(holders[0] as WalletKey, newNonce()));
    await expect(moved.send({ proofs })).rejects.toEqual(code('seal_broken'));
  });

  it('VCI:E5 VCI:P8 is encrypted anew, for the key of the repetition', async () => {
    const { first, later, completions } = keeping();
    const answer = await first.send();
    const again = later(keptOf(completions));
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES' };
    const body = await again.body({ credential_response_encryption: { jwk, enc: 'A256GCM' } });
    const { publicJwk, kid } = requestEncryptionKeys([REQUEST_ENCRYPTION_SECRET], NOW).published;
    const jwt = await new CompactEncrypt(Buffer.from(JSON.stringify(body)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid })
      .encrypt(await importJWK({ ...publicJwk }, 'ECDH-ES'));
    const encrypted = (await again.issue({ ...(await again.request()), body: undefined, jwt })) as { jwe: string };
    const { plaintext } = await compactDecrypt(encrypted.jwe, privateKey);
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual(same(answer));
  });
});

describe('two equal requests at once', () => {
  const WAYS = ['nonce_used', 'answered', 'ended'] as const;
  it.each(WAYS)('VCI:P9 who loses (%s) gets the answer of the other', async (outcome) => {
    const { first, later, completions } = keeping();
    const answer = await first.send();
    const open = { status: 'OFFER_CREATED' as const, claims: CLAIMS };
    const loser = later([], { grant: open, deps: { complete: async () => outcome } });
    expect(keptOf(completions)).toHaveLength(1);
    expect(same(await loser.send())).toEqual(same(answer));
  });
});

describe('a deferred answer', () => {
  const URL = `${ISSUER_URL}/oidc4vci/deferred_credential`;
  const transaction = { digest: sha256('the-id'), keys: [], statuses: [] };

  it('VCI:F2 VCI:P8 is given again for the same transaction_id, and no other', async () => {
    const { jwk } = holders[0] as WalletKey;
    const keys = [{ kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y }] as never;
    const deferral = { state: 'ready' as const, transaction: { ...transaction, keys } };
    const { first, later, completions } = keeping({ grant: { deferral } });
    const ask = async (endpoint: ReturnType<OpenEndpoint>, id: string) =>
      issuingOver(endpoint.deps).issueDeferredCredential({
        authorization: [`DPoP ${TOKEN}`],
        dpop: [await credentialProof(endpoint.dpopKey, TOKEN, { htu: URL })],
        body: { transaction_id: id },
      });
    const answer = await ask(first, 'the-id');
    expect(answer).toHaveProperty('credentials');
    expect(keptOf(completions)).toEqual([digestOfTransaction('the-id')]);
    const again = later(keptOf(completions));
    expect(same(await ask(again, 'the-id'))).toEqual(same(answer));
    expect(again.asked).toEqual(['token', 'proof']);
    await expect(ask(again, 'another')).rejects.toEqual(code('invalid_transaction_id'));
  });

  it('VCI:F1 VCI:P8 so is the promise of it, for the same keys', async () => {
    const kept: Uint8Array[] = [];
    const { first, later } = keeping({ grant: { deferral: { state: 'waiting' } } });
    const promise = await first.send();
    const [made] = first.promises;
    kept.push(made?.kept?.sealed as Uint8Array);
    const requests = [made?.kept?.requestDigest as Uint8Array];
    const again = later(requests, { grant: { status: 'OFFER_CREATED' }, deps: { findKept: async () => kept[0] } });
    expect(await again.send()).toEqual(promise);
    expect(again.promises).toEqual([]);
  });

  it('VCI:F2 VCI:P8 but not a promise that another one has taken the place of: nothing is open for it', async () => {
    const kept: Uint8Array[] = [];
    const { first, later } = keeping({ grant: { deferral: { state: 'waiting' } } });
    const promise = await first.send();
    const [made] = first.promises;
    kept.push(made?.kept?.sealed as Uint8Array);
    const promiseKept = (digest: Uint8Array) =>
      later([made?.kept?.requestDigest as Uint8Array], {
        grant: {
          status: 'OFFER_CREATED',
          claims: {},
          deferral: { state: 'waiting', transaction: { digest, keys: [], statuses: [] } },
        },
        deps: { findKept: async () => kept[0] },
      });
    const replaced = promiseKept(sha256('of other keys'));
    expect(await replaced.send({ proofs: await replaced.proofs(keyProof(first.holder, newNonce())) })).toEqual(promise);
    expect(replaced.promises).toMatchObject([{ transactionDigest: made?.transactionDigest }]);
    const current = promiseKept(made?.transactionDigest as Uint8Array);
    expect(await current.send()).toEqual(promise);
    expect(current.promises).toEqual([]);
  });
});

describe('a promise that was kept', () => {
  it('VCI:P8 has to be asked for again, with a new nonce, when another one took its place between the two looks', async () => {
    const { first, later } = keeping({ grant: { deferral: { state: 'waiting' } } });
    await first.send();
    const { kept, transactionDigest: digest } = first.promises[0] as (typeof first.promises)[number];
    const deferral = { state: 'waiting' as const, transaction: { digest, keys: [], statuses: [] } };
    const again = later([kept?.requestDigest as Uint8Array], {
      grant: { status: 'OFFER_CREATED', claims: CLAIMS, deferral },
      deps: { findKept: async () => undefined },
    });
    await expect(again.send()).rejects.toEqual(code('invalid_nonce'));
    expect([again.promises, again.nonces]).toEqual([[], []]);
  });

  it.each([
    ['is denied when the offer was issued for other keys', false],
    ['is repeated as long as what was collected for it is kept', true],
  ])('VCI:F2 VCI:P8 %s', async (_what, isCollected) => {
    const { first, later } = keeping({ grant: { deferral: { state: 'waiting' } } });
    const promise = await first.send();
    const { kept, transactionDigest: digest } = first.promises[0] as (typeof first.promises)[number];
    const collected = digestOfTransaction((promise as { transaction_id: string }).transaction_id);
    const requests = [kept?.requestDigest as Uint8Array, ...(isCollected ? [collected] : [])];
    const deferral = { state: 'ready' as const, transaction: { digest, keys: [], statuses: [] } };
    const again = later(requests, { grant: { deferral }, deps: { findKept: async () => kept?.sealed } });
    if (isCollected) expect(await again.send()).toEqual(promise);
    else await expect(again.send()).rejects.toEqual(code('credential_request_denied'));
  });
});

describe('a promise that leads nowhere, because the offer was issued for other keys', () => {
  const promised = async (changes: EndpointOptions) => {
    const { first, later, completions } = keeping({ grant: { deferral: { state: 'waiting' } } });
    await first.send();
    const { kept, transactionDigest: digest } = first.promises[0] as (typeof first.promises)[number];
    const deferral = { state: 'ready' as const, transaction: { digest, keys: [], statuses: [] } };
    const again = later([kept?.requestDigest as Uint8Array], {
      grant: { deferral, claims: CLAIMS, ...changes.grant },
      deps: { findKept: async () => kept?.sealed, ...changes.deps },
    });
    return { again, kept, completions };
  };

  it('VCI:P8 VCI:F2 is no answer where claims are kept: the same request gets its credential', async () => {
    const { again, kept, completions } = await promised({});
    expect(await again.send()).toHaveProperty('credentials');
    expect(completions.map(({ replaced }) => replaced)).toEqual([sha256(kept?.sealed ?? '')]);
  });

  it('VCI:P8 VCI:N4 is asked for with a nonce that was not used, as any other', async () => {
    const nonce = newNonce();
    const { again, completions } = await promised({ grant: { usedNonces: [sha256(Buffer.from(nonce, 'base64url'))] } });
    const proofs = await again.proofs(keyProof(again.holder, nonce));
    await expect(again.send({ proofs })).rejects.toEqual(code('invalid_nonce'));
    expect(completions).toEqual([]);
  });

  it.each(['nonce_used', 'answered'] as const)('VCI:P9 VCI:F2 is nothing for who loses (%s)', async (outcome) => {
    const { again } = await promised({ deps: { complete: async () => outcome } });
    await expect(again.send()).rejects.toEqual(code('invalid_nonce'));
  });
});

describe('digests of requests', () => {
  it('VCI:P8 differ with every key, their number and order, and from those of transactions', () => {
    const all = [['a'], ['b'], ['a', 'b'], ['b', 'a'], ['a', 'b', 'c']].map(digestOfKeys);
    const hex = [...all, digestOfTransaction('a')].map((one) => Buffer.from(one).toString('hex'));
    expect(new Set(hex).size).toBe(6);
    expect([isKept(all, digestOfKeys(['b'])), isKept([], digestOfKeys(['b']))]).toEqual([true, false]);
  });
});
