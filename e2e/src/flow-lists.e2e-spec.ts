import type { Wallet } from '@vestibule/demo-wallet';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

const read = (path: string) => fetch(`${stage.stack.managementUrl}${path}`);

/** Every item of a list, page by page. */
async function listed(path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer = await read(next);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).not.toContain('Example');
    found.push(...(JSON.parse(text) as Record<string, unknown>[]));
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
    next = link === undefined ? undefined : `/${link}`;
  }
  return found;
}

describe('17.14 what a backend can do with its flows', () => {
  it('lists requests by status and time, newest first, page by page, without claims', async () => {
    const since = new Date().toISOString();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await requestPresentation(stage)).state);
    const answered = await requestPresentation(stage);
    await wallet.present(answered.crossDevice);
    const open = await listed(`/oidc4vp?status=pending&created_from=${since}&limit=2`);
    expect(open.map(({ state }) => state).sort()).toEqual([...made].sort());
    const times = open.map(({ created_at: createdAt }) => Math.floor(Date.parse(String(createdAt)) / 1000));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const [ended, ...more] = await listed(`/oidc4vp?status=FULFILLED&created_from=${since}`);
    expect(more).toEqual([]);
    const times2 = expect.any(String) as string;
    expect(ended).toEqual({
      state: answered.state,
      status: 'FULFILLED',
      created_at: times2,
      expires_at: times2,
      finished_at: times2,
    });
    expect(await listed(`/oidc4vp?created_before=${since}`)).toEqual([]);
  });

  it('lists offers likewise', async () => {
    const since = new Date().toISOString();
    const { offerId } = await offerCredential(stage);
    const redeemed = await offerCredential(stage);
    await wallet.redeemOffer(redeemed.uri);
    expect((await listed(`/offers?created_from=${since}&limit=1`)).map(({ offer_id: id }) => id).sort()).toEqual(
      [offerId, redeemed.offerId].sort(),
    );
    const [issued] = await listed(`/offers?status=issued&created_from=${since}`);
    const { body } = await stage.management('GET', `/offers/${redeemed.offerId}`);
    expect(issued).toEqual(body);
  });

  it.each(['/oidc4vp?cursor=AAAA', '/offers?cursor=AAAA'])('refuses a cursor of another list: %s', async (path) => {
    const answer = await read(path);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ path: 'cursor' })] }),
    ]);
  });

  it('withdraws a request: EXPIRED, told once; the wallet comes too late', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const prepared = await wallet.buildPresentation(crossDevice);
    const remove = () => stage.management('DELETE', `/oidc4vp/${state}`);
    expect((await remove()).status).toBe(204);
    expect(await stage.callbacksOf(state, 1)).toEqual([{ status: 'EXPIRED', state }]);
    const { body } = await stage.management('GET', `/oidc4vp/${state}`);
    expect(body).toMatchObject({ status: 'EXPIRED', finished_at: expect.any(String) as string });
    expect(body).not.toHaveProperty('checks');
    const again = await remove();
    expect([again.status, again.body['code']]).toEqual([409, 'presentation_request_ended']);
    expect((await wallet.send(prepared.responseUri, prepared.form)).status).toBe(400);
    expect(await stage.callbacksOf(state, 1)).toHaveLength(1);
  });

  it('withdraws nothing that has an answer or is unknown', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    await wallet.present(crossDevice);
    const late = await stage.management('DELETE', `/oidc4vp/${state}`);
    expect([late.status, late.body['code']]).toEqual([409, 'presentation_request_ended']);
    expect((await stage.management('GET', `/oidc4vp/${state}`)).body['status']).toBe('FULFILLED');
    const unknown = await stage.management('DELETE', '/oidc4vp/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'presentation_request_not_found']);
  });

  it('of a withdrawal and an answer at the same time, one counts and is told', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { state, crossDevice } = await requestPresentation(stage);
      const { responseUri, form } = await wallet.buildPresentation(crossDevice);
      const [removed, sent] = await Promise.all([
        stage.management('DELETE', `/oidc4vp/${state}`),
        wallet.send(responseUri, form),
      ]);
      const isRemoved = removed.status === 204;
      expect([removed.status, sent.status]).toEqual(isRemoved ? [204, 400] : [409, 200]);
      const events = await stage.callbacksOf(state, 1);
      expect(events.map(({ status }) => status)).toEqual([isRemoved ? 'EXPIRED' : 'FULFILLED']);
    }
  });

  it('waits for an answer, for backends that cannot be called', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const waiting = stage.management('GET', `/oidc4vp/${state}?wait=30`);
    await wallet.present(crossDevice);
    expect((await waiting).body['status']).toBe('FULFILLED');
    const offer = await offerCredential(stage);
    const issued = stage.management('GET', `/offers/${offer.offerId}?wait=30`);
    await wallet.redeemOffer(offer.uri);
    expect((await issued).body['status']).toBe('ISSUED');
  });

  it('X-Request-Id of the caller is returned, and is the instance of a problem', async () => {
    const headers = { 'x-request-id': 'order-4711.a' };
    const answer = await fetch(`${stage.stack.managementUrl}/oidc4vp/unknown`, { headers });
    expect(answer.headers.get('x-request-id')).toBe('order-4711.a');
    expect(await answer.json()).toMatchObject({ instance: 'order-4711.a' });
  });
});
