import { sha256 } from '@vestibule/crypto';
import { endingOf, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
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
    type Sealed = { endsAt: number; callbackUrl: string | null };
    const { endsAt, callbackUrl, ...earlier } = JSON.parse(encodeSession(request).toString('utf8')) as Sealed;
    expect([endsAt, callbackUrl]).toEqual([at(10).getTime(), null]);
    const decoded = decodeSession(Buffer.from(JSON.stringify(earlier)), { state, createdAt, expiresAt: at(20) });
    expect(decoded).toEqual({ ...request, expiresAt: at(20) });
  });
});

describe('the receiver of the event of a response', () => {
  const OWN = 'https://backend.example/hook';

  it.each([
    ['its own', OWN],
    ['the configured one', undefined],
  ])('is %s, whatever is written to the row of the request', async (_which, callbackUrl) => {
    const inserted = await stage.insert(callbackUrl === undefined ? {} : { callbackUrl });
    const { receiver } = (await stage.store.findPending(inserted.state, at(0))) ?? {};
    expect(receiver).toBe(callbackUrl ?? null);
    await stage.database.query(`UPDATE verifier.presentation_request SET callback_url = 'https://other.example/hook'`);
    expect(await stage.store.finish(endingOf(inserted, { receiver }))).toBe(true);
    const [event] = await stage.database.query<{ id: Buffer }>('SELECT id FROM verifier.callback');
    const named = sha256(`vestibule receiver\0${callbackUrl ?? ''}`).subarray(0, 16);
    expect(event?.id.subarray(24)).toEqual(named);
  });
});
