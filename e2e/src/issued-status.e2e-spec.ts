import { decodeJwt } from 'jose';
import type { Wallet } from '@vestibule/demo-wallet';
import { offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

/** Long enough that no list is fetched anew by itself: a verifier that has to forget one is restarted. */
const TTL_SECONDS = 3_600;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    apps: FLOWS,
    environment: { issuer: { STATUS_LIST_TTL_SECONDS: String(TTL_SECONDS) } },
  });
});
afterAll(() => stage?.stop());

interface StatusClaim {
  readonly status_list: { readonly idx: number; readonly uri: string };
}

const statusOf = (compact: string) => (decodeJwt(compact.split('~', 1)[0] ?? '') as { status: StatusClaim }).status;
const statusesOf = (wallet: Wallet) => wallet.credentials().map(({ compact }) => statusOf(compact));

const change = (offerId: string, status: unknown) => stage.management('PATCH', `/offers/${offerId}/status`, { status });

/** A wallet with credentials of one offer. */
async function issued(batch = 1) {
  const wallet = stage.createWallet();
  const { offerId, uri } = await offerCredential(stage);
  await wallet.redeemOffer(uri, { batch });
  return { wallet, offerId };
}

/** What the backend hears when the wallet shows its credential. */
async function present(wallet: Wallet): Promise<Record<string, unknown>> {
  const { state, crossDevice } = await requestPresentation(stage);
  await wallet.present(crossDevice);
  return (await stage.callbacksOf(state, 1))[0] ?? {};
}

const failedWith = (code: string) => ({
  status: 'VERIFICATION_FAILED',
  errorDetails: expect.stringMatching(new RegExp(`^${code}: `)) as unknown,
});

/** A verifier that has seen no list yet. */
const forgetLists = () => stage.stack.process('verifier').restart();

describe('a credential with a status', () => {
  it('VCI:V21 VCI:L2 VCI:L5 VCI:L6 names a list of this issuer, with an index of its own in each of a batch', async () => {
    const { wallet } = await issued(5);
    const statuses = statusesOf(wallet);
    for (const status of statuses) expect(Object.keys(status)).toEqual(['status_list']);
    const uris = new Set(statuses.map(({ status_list: { uri } }) => uri));
    expect([...uris]).toEqual([expect.stringMatching(/\/oidc4vci\/status-lists\/[\w-]{22}$/)]);
    expect([...uris][0]?.startsWith(`${stage.stack.issuerUrl}/`)).toBe(true);
    const indexes = statuses.map(({ status_list: { idx } }) => idx);
    expect(new Set(indexes).size).toBe(5);
    const steps = indexes.slice(1).map((idx, at) => idx - (indexes[at] ?? 0));
    expect(new Set(steps).size).toBeGreaterThan(1);
  });

  it('VCI:Z7 is FULFILLED while a verifier may use the old list, and fails as suspended by the list that follows it', async () => {
    const { wallet, offerId } = await issued();
    const [credential] = ((await present(wallet))['credentials'] as Record<string, object[]>)['card'] ?? [];
    expect(credential).toMatchObject({ supportRevocation: true, isRevoked: false });
    const answer = await change(offerId, 'suspended');
    expect([answer.status, answer.body]).toEqual([200, { offer_id: offerId, status: 'suspended', credentials: 1 }]);
    expect(await present(wallet)).toMatchObject({ status: 'FULFILLED' });
    await forgetLists();
    expect(await present(wallet)).toMatchObject(failedWith('credential_suspended'));
  });

  it('is FULFILLED again when it was restored, and fails for ever when it is revoked', async () => {
    const { wallet, offerId } = await issued();
    const other = await issued();
    await change(offerId, 'suspended');
    await forgetLists();
    expect(await present(wallet)).toMatchObject(failedWith('credential_suspended'));
    expect((await change(offerId, 'valid')).status).toBe(200);
    await forgetLists();
    expect(await present(wallet)).toMatchObject({ status: 'FULFILLED' });
    expect((await change(offerId, 'revoked')).status).toBe(200);
    expect((await change(offerId, 'revoked')).status).toBe(200);
    const restored = await change(offerId, 'valid');
    expect([restored.status, restored.body['code']]).toEqual([409, 'credential_revocation_final']);
    await forgetLists();
    expect(await present(wallet)).toMatchObject(failedWith('credential_revoked'));
    expect(await present(other.wallet)).toMatchObject({ status: 'FULFILLED' });
  });

  it('fails in all credentials of its offer', async () => {
    const { wallet, offerId } = await issued(3);
    expect((await change(offerId, 'revoked')).body).toMatchObject({ credentials: 3 });
    await forgetLists();
    for (let shown = 0; shown < 3; shown += 1) {
      expect(await present(wallet)).toMatchObject(failedWith('credential_revoked'));
    }
  });

  it('VCI:Z1 VCI:Z4 VCI:Z7 has a list that anybody can fetch, and that shows a change at once', async () => {
    const { wallet, offerId } = await issued();
    const [status] = statusesOf(wallet);
    const uri = status?.status_list.uri ?? '';
    const first = await fetch(uri);
    const token = await first.text();
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/statuslist+jwt']);
    expect(decodeJwt(token)).toMatchObject({ sub: uri, ttl: TTL_SECONDS });
    const maxAge = Number(/max-age=(\d+)/.exec(first.headers.get('cache-control') ?? '')?.[1]);
    expect(maxAge).toBeLessThanOrEqual(TTL_SECONDS);
    const etag = first.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    expect((await fetch(uri, { headers })).status).toBe(304);
    await change(offerId, 'revoked');
    const changed = await fetch(uri, { headers });
    expect([changed.status, (await changed.text()) === token]).toEqual([200, false]);
    expect((await fetch(`${uri}?time=1`)).status).toBe(501);
  });

  it('VCI:Z12 is in no public list of lists', async () => {
    expect((await fetch(`${stage.stack.issuerUrl}/oidc4vci/status-lists`)).status).toBe(404);
    for (const name of ['openid-credential-issuer', 'oauth-authorization-server']) {
      const document = await (await fetch(`${stage.stack.issuerUrl}/.well-known/${name}`)).text();
      expect(document).not.toContain('aggregation');
    }
  });
});

describe('PATCH /offers/{offer_id}/status', () => {
  it('is refused for an offer that is open, for one that there is not, and for another status', async () => {
    const { offerId } = await offerCredential(stage);
    const cases = [
      [offerId, 'revoked', 409, 'credential_not_issued'],
      ['no-such-offer', 'revoked', 404, 'credential_offer_not_found'],
      [offerId, 'gone', 400, 'invalid_request'],
    ] as const;
    for (const [id, status, expected, code] of cases) {
      const answer = await change(id, status);
      expect([answer.status, answer.body['code']]).toEqual([expected, code]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
  });
});
