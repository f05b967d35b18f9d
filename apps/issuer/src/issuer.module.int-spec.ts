/** @jest-environment ./tools/jest-context-environment.cjs */
import { randomBytes } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { CALLBACKS, createWaking } from '@vestibule/callbacks';
import { createSealer, localSigner } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import { DATABASE, SEALER } from '@vestibule/persistence';
import { createMetrics, ProcessModule, TRANSPORT } from '@vestibule/process';
import type { SigningKeys } from './domain/ports';
import type { IssuerSettings } from './issuer-settings';
import { IssuerModule } from './issuer.module';
import { divide } from './testing/credential-endpoint.fixture-spec';
import { CLAIMS, ISSUER, ISSUER_URL, NO_DEMANDS, NOW, TYPE_ID, TYPES } from './testing/issuer.fixture-spec';
import { at, commitWithoutLease, openStoreStage, type StoreStage } from './testing/store.fixture-spec';
import { CONTEXT } from './testing/process-context.fixture-spec';
import { createWalletKey, credentialProof, keyProof, tokenProof, type WalletKey } from './testing/wallet.fixture-spec';
import {
  ACCESS_KEY,
  ATTESTERS,
  EGRESS,
  ISSUER_KEYS,
  KEYS,
  SETTINGS,
  SWEEP,
  TYPES as TYPES_TOKEN,
  WATCH,
} from './tokens';
import { acceptHandOvers } from './use-cases/accept-hand-overs';
import { createCredentialOffer } from './use-cases/create-credential-offer';
import { expireCredentialOffers } from './use-cases/expire-credential-offers';
import { getCredentialOffer } from './use-cases/read-credential-offer';
import { issuersOf, type Issuers } from './use-cases/issuers';

jest.setTimeout(180_000);

let stage: StoreStage;
let key: WalletKey;
beforeAll(async () => {
  stage = await openStoreStage();
  key = await createWalletKey();
});
const opened: { close(): Promise<void> }[] = [];
/** The module has the clock of the machine; nothing else of it is held. */
beforeEach(() => {
  const others = ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'nextTick', 'performance'] as const;
  jest.useFakeTimers({ now: NOW, doNotFake: [...others, 'hrtime', 'queueMicrotask', 'setInterval', 'clearInterval'] });
});
afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(opened.splice(0).map((app) => app.close()));
  await stage.clear();
});
afterAll(() => stage.close());

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const code = (expected: string) => expect.objectContaining({ code: expected });

const nothing = () => undefined;
const closed = () => Promise.resolve();
const FAR = new Date('2036-01-01T00:00:00Z');

/** What the configuration would say. */
const settings = {
  issuerUrl: ISSUER_URL,
  types: TYPES,
  identifiers: [
    {
      identity: ISSUER,
      issuerUrl: ISSUER_URL,
      types: TYPES,
      isOwn: () => true,
      batchSize: 10,
      ...NO_DEMANDS,
      signsMetadata: true,
      nonceKeys: [randomBytes(32)],
      documents: { 'openid-credential-issuer': '{}', 'oauth-authorization-server': '{}', 'jwt-vc-issuer': '{}' },
      requestEncryptionSecrets: [randomBytes(32)],
      encryptionRequired: false,
      notificationKeys: [randomBytes(32)],
    },
  ],
  handOverKeys: [randomBytes(32)],
  deferredSeconds: 3_600,
  deferredIntervalSeconds: 30,
  deferredNotificationId: true,
  redeliverySeconds: 120,
  credentialOfferEndpoint: 'openid-credential-offer://',
  statusListTtlSeconds: 300,
} satisfies IssuerSettings;

/** The real module over the database of the stage, which is not its to close. */
async function compile(signerAt: SigningKeys['signerAt'], wake: () => void) {
  const database = Object.create(stage.database, { close: { value: closed } }) as object;
  const sealer = createSealer(stage.keys, randomBytes);
  const current = { signerAt: () => ({ x5c: ['MIIB'] }), chain: [{ der: Buffer.from('MIIB', 'base64') }] };
  const values: [symbol, object][] = [
    [DATABASE, database],
    [SEALER, sealer],
    [TRANSPORT, { maxPayloadBytes: nothing }],
    [CALLBACKS, { waking: createWaking(wake), commit: commitWithoutLease(wake), urlFault: nothing, close: closed }],
    [TYPES_TOKEN, { types: TYPES }],
    [ISSUER_KEYS, { current, close: closed }],
    [
      KEYS,
      {
        signerAt,
        listSignerAt: (_x5c, now) => signerAt(now),
        metadataSignerAt: signerAt,
        chainEndsAt: () => FAR,
      } satisfies SigningKeys,
    ],
    [ACCESS_KEY, {}],
    [ATTESTERS, {}],
    [EGRESS, { close: closed }],
    [SETTINGS, settings],
    [SWEEP, { stop: closed }],
    [WATCH, { stop: closed }],
  ];
  const builder = Test.createTestingModule({
    imports: [ProcessModule.register({ ...CONTEXT, metrics: createMetrics('issuer') }), IssuerModule],
  });
  for (const [token, value] of values) builder.overrideProvider(token).useValue(value);
  const app = await builder.compile();
  opened.push(app);
  const get = <UseCase>(token: (deps: never) => UseCase) => app.get<UseCase>(token);
  return {
    ...app.get<Issuers>(issuersOf).at(undefined),
    createCredentialOffer: get(createCredentialOffer),
    getCredentialOffer: get(getCredentialOffer),
    expireCredentialOffers: get(expireCredentialOffers),
    acceptHandOvers: get(acceptHandOvers),
  };
}

/** The whole issuer over the real store, and what a wallet and a backend do with it. */
async function openIssuer(changes: Partial<SigningKeys> = {}) {
  const seen = { wakes: 0 };
  const signerAt: SigningKeys['signerAt'] = () => ({
    ...localSigner(key.privateKey),
    x5c: ['MIIB'],
    certificateNotBefore: new Date('2026-01-01T00:00:00Z'),
    chainEndsAt: FAR,
  });
  const issuer = await compile(changes.signerAt ?? signerAt, () => {
    seen.wakes += 1;
  });

  async function offer() {
    const body = { credential_configuration_id: TYPE_ID, claims: CLAIMS, tx_code: {} };
    const { offer_id: offerId, tx_code_value: txCode = '' } = await issuer.createCredentialOffer({ body });
    const { offer: object } = await issuer.getOfferObject({ offerId });
    const grants = object['grants'] as Record<string, Record<string, string>>;
    return { offerId, txCode, preAuthorizedCode: grants[GRANT]?.['pre-authorized_code'] ?? '' };
  }
  const redeem = async (preAuthorizedCode: string, txCode: string, dpopKey = key) =>
    issuer.exchangePreAuthorizedCode({
      form: [
        ['grant_type', GRANT],
        ['pre-authorized_code', preAuthorizedCode],
        ['tx_code', txCode],
      ],
      dpop: [await tokenProof(dpopKey)],
    });
  async function credential(token: string, holder = key, reportsHandOver = false) {
    const { c_nonce: nonce } = await issuer.issueNonce();
    return issuer.issueCredential({
      reportsHandOver,
      authorization: [`DPoP ${token}`],
      dpop: [await credentialProof(key, token)],
      body: { credential_configuration_id: TYPE_ID, proofs: { jwt: [await keyProof(holder, nonce)] } },
    });
  }
  async function token() {
    const made = await offer();
    const { access_token: accessToken } = await redeem(made.preAuthorizedCode, made.txCode);
    return { ...made, accessToken };
  }
  const statuses = async () => (await stage.events()).map(({ event }) => event.status);
  return { seen, issuer, offer, redeem, credential, token, statuses };
}

describe('the issuer over its store', () => {
  it('issues once: VCI:P9 of 10 parallel requests each gets the same credential, VCI:P8 and later ones, too', async () => {
    const { credential, token, statuses, issuer } = await openIssuer();
    const { accessToken, offerId } = await token();
    const all = await Promise.all(Array.from({ length: 10 }, () => credential(accessToken)));
    const bodies = all.map((answer) => divide(answer)[0]);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    // One is the first, and the others are repetitions of it.
    expect(new Set(all.map((answer) => divide(answer)[1])).size).toBe(2);
    expect(bodies[0]).toHaveProperty('credentials');
    expect(divide(await credential(accessToken))[0]).toEqual(bodies[0]);
    const other = await createWalletKey();
    await expect(credential(accessToken, other)).rejects.toEqual(code('credential_request_denied'));
    expect(await statuses()).toEqual(['OFFER_CREATED', 'ISSUED']);
    await expect(issuer.getCredentialOffer({ offerId })).resolves.toMatchObject({ status: 'ISSUED' });
    await expect(issuer.getOfferObject({ offerId })).rejects.toEqual(code('offer_not_found'));
  });

  it('VCI:P9 wakes the delivery of ISSUED with the report of a gateway that reports, and at once for one that does not', async () => {
    const { credential, token, issuer, seen } = await openIssuer();
    const [{ accessToken: old }, { accessToken }] = [await token(), await token()];
    let wakes = seen.wakes;
    const woken = () => {
      const count = seen.wakes - wakes;
      wakes = seen.wakes;
      return count;
    };
    await credential(old);
    expect(woken()).toBe(1);
    const [, name] = divide(await credential(accessToken, key, true));
    expect(woken()).toBe(0);
    await issuer.acceptHandOvers({ handOvers: ['strange', name as string] });
    expect(woken()).toBe(1);
    await issuer.acceptHandOvers({ handOvers: [name as string] });
    expect(woken()).toBe(0);
  });

  it('VCI:T20 gives the token again to the wallet that has it, and keeps it when somebody else guesses', async () => {
    const { redeem, credential, token } = await openIssuer();
    const { accessToken, preAuthorizedCode, txCode } = await token();
    const other = await createWalletKey();
    await expect(redeem(preAuthorizedCode, txCode)).resolves.toMatchObject({ access_token: accessToken });
    for (const [guess, guesser] of [['wrong', other] as const, ['wrong', key] as const])
      await expect(redeem(preAuthorizedCode, guess, guesser)).rejects.toEqual(code('invalid_grant'));
    await expect(credential(accessToken)).resolves.toHaveProperty('credentials');
  });

  it('VCI:T20 revokes the token when its code comes with the right transaction code and another key', async () => {
    const { redeem, credential, token, statuses } = await openIssuer();
    const { accessToken, preAuthorizedCode, txCode } = await token();
    const owner = await createWalletKey();
    await expect(redeem(preAuthorizedCode, txCode, owner)).rejects.toEqual(code('invalid_grant'));
    await expect(credential(accessToken)).rejects.toEqual(code('invalid_token'));
    await expect(redeem(preAuthorizedCode, txCode)).rejects.toEqual(code('invalid_grant'));
    expect(await statuses()).toEqual(['OFFER_CREATED']);
  });

  it('VCI:T10 ends as FAILED with the fifth wrong transaction code, and the right one is refused then', async () => {
    const { offer, redeem, statuses } = await openIssuer();
    const { preAuthorizedCode, txCode } = await offer();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(redeem(preAuthorizedCode, 'wrong')).rejects.toEqual(code('invalid_grant'));
    }
    await expect(redeem(preAuthorizedCode, txCode)).rejects.toEqual(code('invalid_grant'));
    expect(await statuses()).toEqual(['OFFER_CREATED', 'FAILED']);
  });

  it('VCI:V3 ends as FAILED when it cannot sign, and the token is worth nothing then', async () => {
    const signerAt = () => {
      throw new ProcessingFailure('signing_certificate_expired', 'renew it');
    };
    const { credential, token, statuses } = await openIssuer({ signerAt });
    const { accessToken } = await token();
    await expect(credential(accessToken)).rejects.toEqual(code('credential_request_denied'));
    expect(await statuses()).toEqual(['OFFER_CREATED', 'FAILED']);
    await expect(credential(accessToken)).rejects.toEqual(code('invalid_token'));
  });

  it('expires what nobody redeemed, once', async () => {
    const { offer, statuses } = await openIssuer();
    const { offerId } = await offer();
    jest.setSystemTime(at(300));
    const late = (await openIssuer()).issuer;
    const ended = await Promise.all([late.expireCredentialOffers(), late.expireCredentialOffers()]);
    expect(ended.sort()).toEqual([0, 1]);
    expect(await statuses()).toEqual(['OFFER_CREATED', 'EXPIRED']);
    await expect(late.getCredentialOffer({ offerId })).resolves.toMatchObject({ status: 'EXPIRED' });
  });

  it('does not expire by a clock that is ahead of that of Postgres', async () => {
    jest.setSystemTime(jest.getRealSystemTime());
    const { offer, statuses } = await openIssuer();
    await offer();
    jest.setSystemTime(jest.getRealSystemTime() + 86_400_000);
    const ahead = (await openIssuer()).issuer;
    expect(await ahead.expireCredentialOffers()).toBe(0);
    expect(await statuses()).toEqual(['OFFER_CREATED']);
  });

  it('wakes the deliverer after each step that has written an event, and not after others or when the step failed', async () => {
    const { seen, issuer, token, credential } = await openIssuer();
    const { accessToken } = await token();
    expect(seen.wakes).toBe(1);
    await credential(accessToken);
    expect(seen.wakes).toBe(2);
    await expect(issuer.createCredentialOffer({ body: {} })).rejects.toThrow();
    expect(seen.wakes).toBe(2);
  });
});
