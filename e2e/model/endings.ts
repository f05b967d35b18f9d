import type { Move } from './moves';
import type { OfferState } from './offer-model';
import { playGroup, type Play, type TrackedOffer, type TrackedRequest } from './play';
import type { RequestState } from './request-model';
import { atLast, manage, type World } from './world';

type Members = Record<string, unknown>;

/** The bodies of the events about a flow, each once, when `count` have come and no other one is waiting. */
export type Told = (id: string, count: number) => Promise<readonly Members[]>;

const isOpen = ({ status, isOverdue }: { readonly status: string; readonly isOverdue: boolean }) =>
  !isOverdue && (status === 'PENDING' || status === 'OFFER_CREATED');

const untilEnded = (world: World, path: string) =>
  atLast(async () => {
    const answer = await manage(world, 'GET', `${path}?wait=30`);
    const status = String(answer?.body['status']);
    return answer && !isOpen({ status, isOverdue: false }) ? status : undefined;
  });

/** Ends what may still be open, and waits for the ends of all. */
async function endAll(play: Play): Promise<void> {
  const withdraw = play.requests.flatMap(({ states }, flow): Move[] =>
    states.some(isOpen) ? [{ on: 'request', flow, act: { kind: 'withdraw' } }] : [],
  );
  const cancel = play.offers.flatMap(({ states }, flow): Move[] =>
    states.some(isOpen) ? [{ on: 'offer', flow, act: { kind: 'cancel' } }] : [],
  );
  await playGroup(play, [...withdraw, ...cancel]);
  const paths = [
    ...play.requests.map(({ real }) => `/oidc4vp/${real.id}`),
    ...play.offers.map(({ real }) => `/offers/${real.id}`),
  ];
  await Promise.all(paths.map((path) => untilEnded(play.world, path)));
  await playGroup(play, [
    ...play.requests.map((_, flow): Move => ({ on: 'request', flow, act: { kind: 'read' } })),
    ...play.offers.map((_, flow): Move => ({ on: 'offer', flow, act: { kind: 'read' } })),
  ]);
}

const DETAILS = /^[a-z_]+: \S/;
const RETURN = 'https://shop.example/return?response_code=';

/** The event that a request has in this state. */
function eventOf(world: World, { real }: TrackedRequest, { status, winner, reason }: RequestState): Members {
  const base = { state: real.id, status };
  if (status === 'REJECTED') return { ...base, errorDetails: 'access_denied' };
  if (status === 'EXPIRED') return base;
  if (status !== 'FULFILLED') {
    const details = reason === null ? DETAILS : new RegExp(`^${reason}: `);
    return { ...base, errorDetails: expect.stringMatching(details) as unknown };
  }
  const sent = real.sent.find(({ response }) => response === winner);
  if (!sent) throw new Error(`nobody sent the response ${winner}`);
  const [told] = sent.redirectUris;
  expect(sent.redirectUris.size).toBeLessThan(2);
  const code = told?.slice(RETURN.length) ?? (expect.any(String) as unknown);
  const { familyName, thumbprint } = world.held[sent.held];
  const claims = { family_name: familyName, sub: expect.stringContaining(thumbprint) as unknown };
  const flags = { signatureIsValid: true, kbSignatureIsValid: true, isRevoked: false, isTrusted: true };
  const verified = { claims, kbKeyId: thumbprint, ...flags };
  return {
    ...base,
    ...(sent.isSameDevice ? { responseCode: code } : {}),
    credentials: { card: [expect.objectContaining(verified)] },
    credentialsRaw: { card: [expect.any(Object)] },
  };
}

/** What a flow says in one of its possible states: several only where answers were lost. */
function expectOneOf<State>(states: readonly State[], check: (state: State) => void): void {
  const faults = states.flatMap((state) => {
    try {
      check(state);
      return [];
    } catch (error) {
      return [error];
    }
  });
  if (faults.length === states.length) throw faults[0];
}

async function judgeRequest(play: Play, tracked: TrackedRequest, told: Told): Promise<void> {
  const events = await told(tracked.real.id, 1);
  expectOneOf(tracked.states, (state) => expect(events).toEqual([eventOf(play.world, tracked, state)]));
}

function offerEvents({ real }: TrackedOffer, { status, reason }: OfferState): Members[] {
  const base = { eventId: real.id, offerId: real.id };
  const details = { errorDetails: expect.stringMatching(new RegExp(`^${reason}: `)) as unknown };
  return [
    { ...base, status: 'OFFER_CREATED' },
    { ...base, status, ...(status === 'FAILED' ? details : {}) },
  ];
}

async function judgeOffer(tracked: TrackedOffer, told: Told): Promise<void> {
  const { real, states } = tracked;
  const events = await told(real.id, 2);
  expectOneOf(states, (state) => expect(events).toEqual(offerEvents(tracked, state)));
  // Whoever asks again gets the same token, and the same answer with credentials.
  const sizes = [real.tokens, real.answers].map(({ size }) => size);
  expect([real.id, sizes.filter((size) => size > 1)]).toEqual([real.id, []]);
  expectOneOf(states, (state) => {
    if (real.answers.size > 0) expect(state.status).toBe('ISSUED');
    if (state.status === 'ISSUED' && !tracked.isUncertain) expect(real.answers.size).toBe(1);
  });
}

/** What is left of ended flows: nothing that would open them or say whose they were. */
const REMAINS = `
  SELECT 'session' AS what FROM verifier.presentation_request WHERE state = ANY($1) AND session IS NOT NULL
  UNION ALL SELECT 'secrets' FROM issuer.credential_offer WHERE offer_id = ANY($1)
    AND num_nonnulls(session, code_digest, tx_code_digest, transaction_keys, wallet_status) > 0`;

/** Ends a history, and holds what its backend was told, what its wallets got and what is stored against each other. */
export async function judgeEnds(play: Play, told: Told): Promise<void> {
  await endAll(play);
  for (const tracked of play.requests) await judgeRequest(play, tracked, told);
  for (const tracked of play.offers) await judgeOffer(tracked, told);
  const ids = [...play.requests, ...play.offers].map(({ real }) => Buffer.from(real.id, 'base64url'));
  expect((await play.world.rows.query(REMAINS, [ids])).rows).toEqual([]);
}
