import { randomBytes } from 'node:crypto';
import { signEs256 } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import { composeIssuer, type IssuerAdapters } from './compose';
import { CLAIMS, ISSUER_URL, NO_DEMANDS, NOW, TYPE_ID, TYPES } from './testing/issuer.fixture-spec';
import { at, openStoreStage, type StoreStage } from './testing/store.fixture-spec';
import { createWalletKey, credentialProof, keyProof, tokenProof, type WalletKey } from './testing/wallet.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
let key: WalletKey;
beforeAll(async () => {
  stage = await openStoreStage();
  key = await createWalletKey();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const code = (expected: string) => expect.objectContaining({ code: expected });

/** The whole issuer over the real store, and what a wallet and a backend do with it. */
function openIssuer(changes: Partial<IssuerAdapters> = {}) {
  const seen = { wakes: 0 };
  const issuer = composeIssuer({
    clock: () => NOW,
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    types: TYPES,
    callbackUrlFault: () => undefined,
    batchSize: 10,
    ...NO_DEMANDS,
    signsMetadata: true,
    nonceKeys: [randomBytes(32)],
    signerAt: () => ({
      sign: (input) => signEs256(key.privateKey, input),
      x5c: ['MIIB'],
      certificateNotBefore: new Date('2026-01-01T00:00:00Z'),
      chainEndsAt: new Date('2036-01-01T00:00:00Z'),
    }),
    listSignerAt: () => {
      throw new Error('nobody asks for lists here');
    },
    chainEndsAt: () => new Date('2036-01-01T00:00:00Z'),
    reportShortened: () => undefined,
    reportFailure: () => undefined,
    documents: { 'openid-credential-issuer': '{}', 'oauth-authorization-server': '{}', 'jwt-vc-issuer': '{}' },
    store: stage.store,
    changes: stage.changes,
    requestEncryptionSecrets: [randomBytes(32)],
    encryptionRequired: false,
    notificationKeys: [randomBytes(32)],
    deferredSeconds: 3_600,
    deferredIntervalSeconds: 30,
    statusLists: stage.statusLists,
    statusListSize: 1_024,
    statusListTtlSeconds: 300,
    wakeDelivery: () => {
      seen.wakes += 1;
    },
    ...changes,
  });

  async function offer() {
    const body = { credential_configuration_id: TYPE_ID, claims: CLAIMS, tx_code: {} };
    const { offer_id: offerId, tx_code_value: txCode = '' } = await issuer.createCredentialOffer({ body });
    const { offer: object } = await issuer.getOfferObject({ offerId });
    const grants = object['grants'] as Record<string, Record<string, string>>;
    return { offerId, txCode, preAuthorizedCode: grants[GRANT]?.['pre-authorized_code'] ?? '' };
  }
  const redeem = async (preAuthorizedCode: string, txCode: string) =>
    issuer.exchangePreAuthorizedCode({
      form: [
        ['grant_type', GRANT],
        ['pre-authorized_code', preAuthorizedCode],
        ['tx_code', txCode],
      ],
      dpop: [await tokenProof(key)],
    });
  async function credential(token: string) {
    const { c_nonce: nonce } = await issuer.issueNonce();
    return issuer.issueCredential({
      authorization: [`DPoP ${token}`],
      dpop: [await credentialProof(key, token)],
      body: { credential_configuration_id: TYPE_ID, proofs: { jwt: [await keyProof(key, nonce)] } },
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
  it('issues once: VCI:P9 of 10 parallel requests one gets the credential, VCI:P8 and later ones are denied', async () => {
    const { credential, token, statuses, issuer } = openIssuer();
    const { accessToken, offerId } = await token();
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => credential(accessToken)));
    const answers = all.filter((one) => one.status === 'fulfilled');
    const refusals = all.filter((one) => one.status === 'rejected').map(({ reason }): unknown => reason);
    expect(answers).toHaveLength(1);
    expect(refusals).toEqual(Array.from({ length: 9 }, () => code('credential_request_denied')));
    await expect(credential(accessToken)).rejects.toEqual(code('credential_request_denied'));
    expect(await statuses()).toEqual(['OFFER_CREATED', 'ISSUED']);
    await expect(issuer.getCredentialOffer({ offerId })).resolves.toMatchObject({ status: 'ISSUED' });
    await expect(issuer.getOfferObject({ offerId })).rejects.toEqual(code('offer_not_found'));
  });

  it('VCI:T20 keeps the token of the first when the code is used again', async () => {
    const { redeem, credential, token } = openIssuer();
    const { accessToken, preAuthorizedCode, txCode } = await token();
    await expect(redeem(preAuthorizedCode, txCode)).rejects.toEqual(code('invalid_grant'));
    await expect(credential(accessToken)).resolves.toHaveProperty('credentials');
  });

  it('VCI:T10 ends as FAILED with the fifth wrong transaction code, and the right one is refused then', async () => {
    const { offer, redeem, statuses } = openIssuer();
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
    const { credential, token, statuses } = openIssuer({ signerAt });
    const { accessToken } = await token();
    await expect(credential(accessToken)).rejects.toEqual(code('credential_request_denied'));
    expect(await statuses()).toEqual(['OFFER_CREATED', 'FAILED']);
    await expect(credential(accessToken)).rejects.toEqual(code('invalid_token'));
  });

  it('expires what nobody redeemed, once', async () => {
    const { offer, statuses } = openIssuer();
    const { offerId } = await offer();
    const late = openIssuer({ clock: () => at(300) }).issuer;
    expect(await Promise.all([late.expireCredentialOffers(), late.expireCredentialOffers()])).toEqual(
      expect.arrayContaining([expect.objectContaining({ expired: 1 }), expect.objectContaining({ expired: 0 })]),
    );
    expect(await statuses()).toEqual(['OFFER_CREATED', 'EXPIRED']);
    await expect(late.getCredentialOffer({ offerId })).resolves.toMatchObject({ status: 'EXPIRED' });
  });

  it('wakes the deliverer after each step that may have written an event, and not when the step failed', async () => {
    const { seen, issuer, token, credential } = openIssuer();
    const { accessToken } = await token();
    expect(seen.wakes).toBe(2);
    await credential(accessToken);
    expect(seen.wakes).toBe(3);
    await expect(issuer.createCredentialOffer({ body: {} })).rejects.toThrow();
    expect(seen.wakes).toBe(3);
  });
});
