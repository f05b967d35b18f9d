import { randomBytes } from 'node:crypto';
import { judgeDeps, judgeOver } from '../../testing/judge.fixture-spec';
import { endingOf, expiryOf, openStoreStage, spellingsOf, type StoreStage } from '../../testing/store.fixture-spec';
import {
  answerForm,
  at,
  createWorld,
  NOW,
  pendingRequest,
  pidQuery,
  type World,
} from '../../testing/verifier.fixture-spec';
import { presentedCredentialsEvent } from '../../domain/presented-credentials-event';
import { submitPresentation } from '../../use-cases/submit-presentation';

jest.setTimeout(180_000);

let stage: StoreStage;
let world: World;
beforeAll(async () => {
  [stage, world] = await Promise.all([openStoreStage(), createWorld()]);
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

const CANARIES = ['canary-claim-value', 'canary-query-value', 'canary-redirect', 'canary-error-text'];

/** A request that carries canaries in everything that a backend gives. */
const canaryRequest = () =>
  pendingRequest({
    dcqlQuery: {
      credentials: [pidQuery({ claims: [{ path: ['name'], values: ['canary-claim-value', 'canary-query-value'] }] })],
    },
    redirectUri: 'https://rp.example/canary-redirect',
  });

async function expectNoCanary(more: readonly string[] = []): Promise<void> {
  const text = await stage.dump();
  expect(text.length).toBeGreaterThan(100);
  for (const spelling of [...CANARIES, ...more].flatMap(spellingsOf)) expect(text).not.toContain(spelling);
}

it('finds a canary in the tables if there is one', async () => {
  const request = await stage.insert();
  await stage.store.finish(
    endingOf(request, { checks: [{ check: CANARIES[0] ?? '', section: '', outcome: 'passed', milliseconds: 0 }] }),
  );
  await expect(expectNoCanary()).rejects.toThrow();
});

describe('the tables', () => {
  it('VP:CM8 hold nothing of an open request in the clear: query, address, nonces, keys, the caller’s body', async () => {
    const request = canaryRequest();
    const body = { dcql_query: request.dcqlQuery, redirect_uri: request.redirectUri ?? '' };
    const answer = { state: request.state, same_device_request_uri: 'canary-redirect', cross_device_request_uri: '' };
    await stage.store.insert(request, answer, { key: 'k'.repeat(32), body });
    const secrets = request.variants.flatMap(({ nonce, privateKey }) => [
      nonce,
      Buffer.from(privateKey).toString('base64url'),
    ]);
    await expectNoCanary(secrets);
  });

  it('VP:Q8 hold no claim, code or address in the clear after FULFILLED', async () => {
    const request = canaryRequest();
    await stage.store.insert(
      request,
      { state: request.state, same_device_request_uri: '', cross_device_request_uri: '' },
      undefined,
    );
    const submit = submitPresentation({
      clock: () => NOW,
      random: randomBytes,
      stopwatch: () => 0,
      awaitedMilliseconds: () => Infinity,
      eventOf: ({ state }, outcome) => presentedCredentialsEvent(state, outcome),
      requests: stage.store,
      judge: judgeOver(judgeDeps(world)),
    });
    const form = await answerForm(world, request, 'same-device', { claims: { name: 'canary-claim-value' } });
    const { redirectUri } = await submit({ state: request.state, form });
    const [event] = await stage.eventsOf(request);
    expect(event).toMatchObject({ credentials: { pid: [{ claims: { name: 'canary-claim-value' } }] } });
    await expectNoCanary([new URL(redirectUri ?? '').searchParams.get('response_code') ?? '']);
  });

  it('VP:Q8 hold nothing of a wallet’s error text in the clear', async () => {
    const request = await stage.insert();
    const event = {
      status: 'REJECTED' as const,
      state: request.state,
      errorDetails: 'access_denied canary-error-code',
      errorDescription: 'canary-error-text',
    };
    await stage.store.finish(endingOf(request, { status: 'REJECTED', event, checks: [] }));
    expect(await stage.eventsOf(request)).toEqual([event]);
    await expectNoCanary();
  });

  it('VP:P11 hold no session after any end', async () => {
    const expired = await stage.insert({ ...canaryRequest(), expiresAt: at(-1) });
    await stage.store.expire([expiryOf(expired)], NOW);
    for (const status of ['FULFILLED', 'REJECTED', 'PROCESSING_ERROR', 'VERIFICATION_FAILED'] as const) {
      const request = await stage.insert(canaryRequest());
      await stage.store.finish(endingOf(request, { status }));
    }
    const rows = await stage.database.query<{ status: string }>(
      'SELECT status FROM verifier.presentation_request WHERE session IS NULL ORDER BY status',
    );
    expect(rows.map(({ status }) => status)).toEqual([
      'EXPIRED',
      'FULFILLED',
      'PROCESSING_ERROR',
      'REJECTED',
      'VERIFICATION_FAILED',
    ]);
    await expectNoCanary();
  });

  it('VP:CM8 refuse an ended request that keeps its session, and an open one without', async () => {
    await stage.insert();
    const update = (assignment: string) =>
      stage.database.query(`UPDATE verifier.presentation_request SET ${assignment}`);
    const refused = expect.objectContaining({ constraint: 'open_has_session' }) as unknown;
    await expect(update(`status = 'EXPIRED', finished_at = now()`)).rejects.toEqual(refused);
    await expect(update('session = NULL')).rejects.toEqual(refused);
  });
});
