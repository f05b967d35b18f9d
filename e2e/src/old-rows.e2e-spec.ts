import { createWallet, type SavedWallet, type Wallet } from '@vestibule/demo-wallet';
import {
  createBackend,
  createManagement,
  requestSample,
  SAMPLE_CLAIMS,
  SAMPLE_TYPE,
  waitForStatus,
  type Management,
} from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { OLD, runOn, startOverOldRows, type OldInstallation } from './old-rows';
import { createWalletApi, ownerQuery, type WalletApi } from './wallet-api';

// Other systems have no more than one loopback address.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

let installation: OldInstallation;
let management: Management;
let wallet: Wallet;

async function walletOf(saved: SavedWallet): Promise<Wallet> {
  const restored = createWallet();
  await restored.restore(saved);
  return restored;
}

/** What the backend hears when the wallet shows its credential. */
async function present(one: Wallet): Promise<Readonly<Record<string, unknown>>> {
  const { state, crossDevice } = await requestSample(createBackend(installation.stack, management));
  await one.present(crossDevice);
  return heardOf(state);
}

async function heardOf(id: string): Promise<Readonly<Record<string, unknown>>> {
  const about = () => installation.backend.received.filter(({ text }) => text.includes(id));
  await until(() => about().length > 0);
  return about()[0]?.body as Record<string, unknown>;
}

const statusOf = async (path: string) => (await management('GET', path)).body['status'];

onLinux('19.7 this version over the schema and the rows of a former one', () => {
  beforeAll(async () => {
    installation = await startOverOldRows();
    management = createManagement(installation.stack.managementUrl);
    wallet = await walletOf(OLD.wallet);
  });
  afterAll(() => installation?.stop());

  it('has run its migrations', async () => {
    const rows = await runOn(
      installation.adminUrl,
      `SELECT name FROM issuer.migrations UNION SELECT name FROM verifier.migrations`,
    );
    const names = rows.map(({ name }) => name);
    expect(names).toContain('CreateIssuerTables1767225600000');
    expect(names).toContain('AddListIssuers1795420000000');
    expect(names).toContain('AddDecisionRecord1795420800000');
  });

  it('delivers the callbacks that waited, byte by byte and in their order', async () => {
    expect((await management('POST', '/callbacks/verifier/retry')).status).toBe(200);
    expect((await management('POST', '/callbacks/issuer/retry')).status).toBe(200);
    await waitForStatus(installation.backend, OLD.requests.waiting, 'FULFILLED');
    await waitForStatus(installation.backend, OLD.offers.waiting, 'ISSUED');
    const textsAbout = (id: string) =>
      installation.backend.received.filter(({ text }) => text.includes(id)).map(({ text }) => text);
    expect(textsAbout(OLD.requests.waiting)).toEqual([OLD.waitingTexts]);
    expect(textsAbout(OLD.offers.waiting).map((text) => (JSON.parse(text) as { status: string }).status)).toEqual([
      'OFFER_CREATED',
      'ISSUED',
    ]);
  });

  it('shows requests and offers as they ended', async () => {
    const { requests, offers } = OLD;
    expect(await statusOf(`/oidc4vp/${requests.fulfilled}`)).toBe('FULFILLED');
    expect(await statusOf(`/oidc4vp/${requests.failed}`)).toBe('VERIFICATION_FAILED');
    expect(await statusOf(`/oidc4vp/${requests.waiting}`)).toBe('FULFILLED');
    expect(await statusOf(`/oidc4vp/${requests.open.state}`)).toBe('PENDING');
    expect(await statusOf(`/offers/${offers.issued}`)).toBe('ISSUED');
    expect(await statusOf(`/offers/${offers.cancelled}`)).toBe('FAILED');
    expect(await statusOf(`/offers/${offers.open.offerId}`)).toBe('OFFER_CREATED');
  });

  it('lets wallets end what was open, with the credential that the former version issued', async () => {
    await wallet.present(OLD.requests.open.crossDevice);
    expect(await heardOf(OLD.requests.open.state)).toMatchObject({
      status: 'FULFILLED',
      credentials: {
        card: [{ claims: { family_name: SAMPLE_CLAIMS.family_name }, isRevoked: false, isTrusted: true }],
      },
    });
    const { uri, txCode, offerId } = OLD.offers.open;
    expect(await createWallet().redeemOffer(uri, { txCode })).toHaveLength(1);
    await waitForStatus(installation.backend, offerId, 'ISSUED');
  });

  it('knows idempotency keys that were used', async () => {
    const { key, offerId } = OLD.offers.keyed;
    const body = { credential_configuration_id: SAMPLE_TYPE, claims: SAMPLE_CLAIMS };
    const again = await management('POST', '/offers', body, { 'Idempotency-Key': key });
    expect([again.status, again.body['offer_id']]).toEqual([201, offerId]);
  });

  it('knows who was revoked, and revokes what the former version issued', async () => {
    const revoked = {
      status: 'VERIFICATION_FAILED',
      errorDetails: expect.stringMatching(/^credential_revoked: /) as string,
    };
    expect(await present(await walletOf(OLD.revokedWallet))).toMatchObject(revoked);
    expect(await present(wallet)).toMatchObject({ status: 'FULFILLED' });
    const change = await management('PATCH', `/offers/${OLD.offers.issued}/status`, { status: 'revoked' });
    expect(change.body).toMatchObject({ status: 'revoked', credentials: 1 });
    // It has a list in its memory that is still fresh.
    await installation.stack.process('verifier').restart();
    expect(await present(wallet)).toMatchObject(revoked);
  });

  it('reads, signs and repeats wallet content', async () => {
    const { owner, entityKey, credential, presentation } = OLD.content;
    const api: WalletApi = createWalletApi(installation.stack.baseUrl, installation.stack.files.secrets.apiKey);
    const { items } = await api.get(`/credentials?${ownerQuery(owner)}`);
    expect(items.map((item) => item['CredentialDid'])).toEqual([credential]);
    const signed = await api.call('POST', `/vp/${presentation}/issue`, { Challenge: 'zero' });
    expect([signed.status, JSON.stringify(signed.body)]).toEqual([200, expect.stringContaining('"given_name":"Ada"')]);
    const entity = await api.call('POST', '/entity', undefined, { 'Idempotency-Key': entityKey });
    expect([entity.status, entity.body['EntityDid']]).toEqual([201, owner.entityDid]);
  });

  it('deletes what the former version left when its time is over', async () => {
    const { adminUrl } = installation;
    const old = (id: string) => `decode('${Buffer.from(id, 'base64url').toString('hex')}', 'hex')`;
    const request = `FROM verifier.presentation_request WHERE state = ${old(OLD.requests.failed)}`;
    const offer = `FROM issuer.credential_offer WHERE offer_id = ${old(OLD.offers.cancelled)}`;
    const count = async (from: string) => (await runOn(adminUrl, `SELECT 1 ${from}`)).length;
    expect([await count(request), await count(offer)]).toEqual([1, 1]);
    const past = `created_at = created_at - interval '400 days', expires_at = expires_at - interval '400 days', finished_at = finished_at - interval '400 days'`;
    await runOn(
      adminUrl,
      `UPDATE verifier.presentation_request SET ${past} WHERE state = ${old(OLD.requests.failed)}`,
      `UPDATE issuer.credential_offer SET ${past} WHERE offer_id = ${old(OLD.offers.cancelled)}`,
    );
    await until(async () => (await count(request)) + (await count(offer)) === 0);
    expect((await management('GET', `/oidc4vp/${OLD.requests.failed}`)).status).toBe(404);
    expect((await management('GET', `/offers/${OLD.offers.cancelled}`)).status).toBe(404);
  });

  it('meets no row that it cannot open', () => {
    const troubles = /seal_broken|"level":"error"/;
    expect(installation.logLines.filter((line) => troubles.test(line))).toEqual([]);
  });
});
