import { randomBytes } from 'node:crypto';
import { createSecret } from '@vestibule/crypto';
import type { JsonValue } from '@vestibule/foundation';
import { issuanceEvent } from '../../domain/issuance-event';
import { answerKey, digestOfKeys, sealAnswer } from '../../domain/kept-answer';
import { createCredentialOffer } from '../../use-cases/create-credential-offer';
import { LONG_CHAIN, CLAIMS, ISSUER_URL, NO_DEMANDS, NOW, TYPE_ID, TYPES } from '../../testing/issuer.fixture-spec';
import { exchangeOver } from '../../testing/running-issuer.fixture-spec';
import { at, completionOf, OFFER_SECONDS, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { createWalletKey, tokenProof } from '../../testing/wallet.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

function valuesOf(value: JsonValue): string[] {
  if (value === null || typeof value !== 'object') return [String(value)];
  return Object.values(value).flatMap((item) => valuesOf(item));
}

/** An offer with transaction code and idempotency key, and the token that a wallet got for it. */
async function redeemedOffer() {
  const create = createCredentialOffer({
    clock: () => NOW,
    random: randomBytes,
    types: TYPES,
    ...LONG_CHAIN,
    addresses: { callbackUrlFault: () => undefined, credentialOfferEndpoint: 'openid-credential-offer://' },
    insert: stage.store.insert,
    recall: stage.store.recall,
  });
  const idempotencyKey = `idempotency-${'k'.repeat(30)}`;
  const tx_code = { input_mode: 'text', length: 16, description: 'canary-description' };
  const body = { credential_configuration_id: TYPE_ID, claims: CLAIMS, tx_code };
  const { offer_id: offerId, tx_code_value: txCode = '' } = await create({ body, idempotencyKey });
  const preAuthorizedCode = (await stage.store.findOpen(offerId, NOW))?.preAuthorizedCode ?? '';
  const exchange = exchangeOver({
    clock: () => NOW,
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    nonceKeys: [],
    ...NO_DEMANDS,
    reportUnreadAttestation: () => undefined,
    deferredSeconds: 3_600,
    redeliverySeconds: 120,
    ...stage.store,
  });
  const key = await createWalletKey();
  const jti = createSecret(randomBytes);
  const form = (text: string): [string, string][] => [
    ['grant_type', GRANT],
    ['pre-authorized_code', preAuthorizedCode],
    ['tx_code', text],
  ];
  const proof = await tokenProof(key, { jti });
  const { access_token: token } = await exchange({ form: form(txCode), dpop: [proof] });
  const secrets = [
    preAuthorizedCode,
    txCode,
    token,
    jti,
    proof,
    idempotencyKey,
    'canary-description',
    ...valuesOf(CLAIMS),
  ];
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(8);

  return { offerId, token, secrets };
}

/** An answer with all the secrets in it. */
function keptFor(offerId: string, token: string, secrets: readonly string[]) {
  const requestDigest = digestOfKeys(['thumbprint']);
  const sealed = sealAnswer({ key: answerKey(token), offerId, requestDigest }, JSON.stringify(secrets), randomBytes);
  return { requestDigest, sealed, expiresAt: at(120) };
}

async function expectNoneOf(secrets: readonly string[]): Promise<void> {
  const dump = await stage.dump();
  expect(dump.length).toBeGreaterThan(500);
  for (const secret of secrets) {
    for (const encoding of ['utf8', 'hex', 'base64url'] as const) {
      expect(dump.includes(Buffer.from(secret, 'utf8').toString(encoding))).toBe(false);
    }
  }
}

describe('the tables of the issuer hold no claim, code, transaction code, token or proof in clear', () => {
  it('VCI:T11 while the offer is open', async () => {
    const { secrets } = await redeemedOffer();
    await expectNoneOf(secrets);
  });

  it.each(['ISSUED', 'FAILED', 'EXPIRED'] as const)(
    'VCI:P10 after %s, when the sealed session is gone too',
    async (status) => {
      const { offerId, token, secrets } = await redeemedOffer();
      const event = issuanceEvent(offerId, 'ISSUED');
      if (status === 'ISSUED')
        await stage.store.complete(
          completionOf(
            { offerId },
            { event, offer: { offerId, accessToken: token }, kept: keptFor(offerId, token, secrets) },
          ),
        );
      else if (status === 'FAILED') await stage.store.fail(offerId, event, NOW);
      else await stage.store.expire([{ offerId, event }], at(OFFER_SECONDS));
      expect(await stage.store.findView(offerId)).toMatchObject({ view: { status } });
      expect(await stage.database.query('SELECT session FROM issuer.credential_offer')).toEqual([{ session: null }]);
      await expectNoneOf(secrets);
    },
  );

  it('finds what it looks for: the dump shows a text that is there', async () => {
    await stage.insert({ configurationId: 'a-configuration-in-clear' });
    await expect(expectNoneOf(['a-configuration-in-clear'])).rejects.toThrow();
  });
});
