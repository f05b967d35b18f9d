import { exportJWK, generateKeyPair } from 'jose';
import { startIssuanceBench, type HandmadeWallet, type IssuanceBench, type OpenedOffer } from './issuance-bench';
import { FLOWS, type Stage } from './stage';
import { expectNoTraceIn, readNatsGreeting } from './traces';

/** No other text of a run contains these. */
const CLAIMS = {
  given_name: 'CanaryGivenName2d8b',
  family_name: 'CanaryFamilyName6e0f',
  birthdate: 'CanaryBirthdate4a9c',
};
const TX_CODE = { input_mode: 'text', length: 16, description: 'CanaryDescription1f7e' };
const LATER = { claims: { given_name: CLAIMS.given_name }, deferred: true, tx_code: TX_CODE };

let bench: IssuanceBench<Stage>;
beforeAll(async () => {
  const debug = { LOG_LEVEL: 'debug' };
  bench = await startIssuanceBench({
    apps: FLOWS,
    environment: { gateway: debug, issuer: { ...debug, DEFERRED_SECONDS: '60' } },
  });
});
afterAll(() => bench?.stop());

/** One wallet's way to an end, with everything secret that was said on it. */
type Way = (wallet: HandmadeWallet, offer: OpenedOffer, secrets: string[]) => Promise<unknown>;

async function redeem(wallet: HandmadeWallet, offer: OpenedOffer, secrets: string[]): Promise<string> {
  const proof = wallet.dpop('token');
  const { json } = await wallet.askToken(wallet.form(offer), proof);
  const token = json['access_token'] as string;
  secrets.push(token, proof);
  return token;
}

async function promise(wallet: HandmadeWallet, offer: OpenedOffer, secrets: string[]) {
  const token = await redeem(wallet, offer, secrets);
  const body = await wallet.body();
  secrets.push(...(body['proofs'] as { jwt: string[] }).jwt);
  const { json } = await wallet.post('credential', token, body);
  secrets.push(json['transaction_id'] as string, wallet.holder.jwk['x'] as string);
  return () => wallet.post('deferred_credential', token, { transaction_id: json['transaction_id'] });
}

const complete = ({ offerId }: OpenedOffer) =>
  bench.stage.management('PATCH', `/offers/${offerId}`, { claims: CLAIMS });

const issued: Way = async (wallet, offer, secrets) => {
  const token = await redeem(wallet, offer, secrets);
  const { json } = await wallet.post('credential', token, await wallet.body());
  const notification_id = json['notification_id'] as string;
  secrets.push(
    notification_id,
    ...(json['credentials'] as { credential: string }[])[0]!.credential.split('~').slice(0, -1),
  );
  const event_description = 'CanaryEvent5c3d\n{"level":"error"}';
  secrets.push('CanaryEvent5c3d');
  const body = { notification_id, event: 'credential_failure', event_description };
  expect((await wallet.post('notification', token, body)).status).toBe(204);
};

const WAYS: readonly (readonly [string, object, 'ISSUED' | 'FAILED' | 'EXPIRED', Way])[] = [
  ['VCI:P10 VCI:F14 ISSUED at once, with a notification', { tx_code: TX_CODE }, 'ISSUED', issued],
  [
    'VCI:E5 ISSUED with encryption',
    { tx_code: TX_CODE },
    'ISSUED',
    async (wallet, offer, secrets) => {
      const token = await redeem(wallet, offer, secrets);
      const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
      const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES' };
      const wish = { credential_response_encryption: { jwk, enc: 'A256GCM' } };
      const jwe = await bench.encrypt(await wallet.body(wish));
      const { status, headers, text } = await wallet.post('credential', token, {}, (right) => ({
        body: jwe,
        headers: [['content-type', 'application/jwt'], ...right.headers.slice(1)],
      }));
      expect([status, headers['content-type']]).toEqual([200, 'application/jwt']);
      secrets.push(jwe, text, jwk.x as string);
    },
  ],
  [
    'VCI:F3 ISSUED later',
    LATER,
    'ISSUED',
    async (wallet, offer, secrets) => {
      const ask = await promise(wallet, offer, secrets);
      await complete(offer);
      expect((await ask()).status).toBe(200);
    },
  ],
  [
    'VCI:F4 FAILED because the backend denied it',
    LATER,
    'FAILED',
    async (wallet, offer, secrets) => {
      await promise(wallet, offer, secrets);
      await complete(offer);
      await bench.stage.management('PATCH', `/offers/${offer.offerId}`, { status: 'denied' });
    },
  ],
  [
    'FAILED because the backend cancelled it',
    { tx_code: TX_CODE },
    'FAILED',
    async (wallet, offer, secrets) => {
      await redeem(wallet, offer, secrets);
      await bench.stage.management('DELETE', `/offers/${offer.offerId}`);
    },
  ],
  [
    'VCI:T10 FAILED because of wrong transaction codes',
    { tx_code: TX_CODE },
    'FAILED',
    async (wallet, offer, secrets) => {
      const tx_code = 'CanaryWrongCode8';
      secrets.push(tx_code);
      for (let attempt = 1; attempt <= 5; attempt += 1) await wallet.askToken(wallet.form(offer, { tx_code }));
    },
  ],
  ['EXPIRED with a token', { tx_code: TX_CODE, expires_in: 2 }, 'EXPIRED', redeem],
];

describe('after the end of an offer, database and logs hold no claim, code, token, proof, key or credential of it:', () => {
  it.each(WAYS)('%s', async (_what, extra, end, go) => {
    const offer = await bench.offer({ claims: CLAIMS, ...extra });
    const secrets = [...Object.values(CLAIMS), TX_CODE.description, offer.code, offer.txCode as string];
    await go(bench.createWallet(), offer, secrets);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', end]);
    for (const secret of secrets) expect(secret.length).toBeGreaterThan(11);
    expect((await bench.remainsOf(offer)).held).toEqual([]);
    await expectNoTraceIn(bench.stage, secrets);
  });

  it('and NATS keeps no messages', async () => {
    const greeting = await readNatsGreeting(bench.stage.natsUrl);
    expect(greeting).toHaveProperty('max_payload');
    expect(greeting['jetstream'] ?? false).toBe(false);
  });

  it('finds what it looks for', async () => {
    const offer = await bench.offer({ claims: CLAIMS });
    await expect(expectNoTraceIn(bench.stage, [offer.offerId])).rejects.toThrow();
  });
});
