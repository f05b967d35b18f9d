import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { at, pendingRequest } from '../../testing/verifier.fixture-spec';
import { decodeSession, encodeSession } from './session-record';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

describe('the end of an open request', () => {
  it('VP:P10 is not prolonged by whoever writes to its row', async () => {
    const { state } = await stage.insert({ expiresAt: at(10) });
    await stage.database.query('UPDATE verifier.presentation_request SET expires_at = $1', [at(86_400)]);
    expect(await stage.store.findPending(state, at(9.999))).toMatchObject({ expiresAt: at(10) });
    expect(await stage.store.findPending(state, at(10))).toBeUndefined();
  });

  it('VP:P10 ends early if its row says so', async () => {
    const { state } = await stage.insert({ expiresAt: at(10) });
    await stage.database.query('UPDATE verifier.presentation_request SET expires_at = $1', [at(5)]);
    expect(await stage.store.findPending(state, at(4))).toMatchObject({ expiresAt: at(5) });
    expect(await stage.store.findPending(state, at(5))).toBeUndefined();
  });

  it('is that of its row alone if an earlier version has stored it', () => {
    const request = pendingRequest({ expiresAt: at(10) });
    const { state, createdAt } = request;
    const { endsAt, ...earlier } = JSON.parse(encodeSession(request).toString('utf8')) as { endsAt: number };
    expect(endsAt).toBe(at(10).getTime());
    const decoded = decodeSession(Buffer.from(JSON.stringify(earlier)), { state, createdAt, expiresAt: at(20) });
    expect(decoded).toEqual({ ...request, expiresAt: at(20) });
  });
});
