import { until } from '@vestibule/testkit';
import type { Move } from './moves';
import { isKept, type OfferState } from './offer-state';
import { playGroup, type Play, type TrackedOffer, type TrackedRequest } from './play';
import type { RequestState } from './request-model';
import { hashesOf } from './responses';
import { atLast, manage, type FlowKind, type World } from './world';

type Members = Record<string, unknown>;

/** The bodies of the events about a flow, each once, when `count` have come and no other one is waiting. */
export type Told = (
  flow: { readonly id: string; readonly kind: FlowKind },
  count: number,
) => Promise<readonly Members[]>;

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
  const transactionDataHashes = hashesOf(real.variants.crossDevice);
  const confirmed = transactionDataHashes
    ? (expect.objectContaining({ transactionDataHashes }) as unknown)
    : (expect.not.objectContaining({ transactionDataHashes: expect.anything() as unknown }) as unknown);
  return {
    ...base,
    ...(sent.isSameDevice ? { responseCode: code } : {}),
    credentials: { card: [expect.objectContaining(verified)] },
    credentialsRaw: { card: [confirmed] },
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
  const events = await told(tracked.real, 1);
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

async function judgeOffer(world: World, tracked: TrackedOffer, told: Told): Promise<void> {
  const { real, states } = tracked;
  const events = await told(real, 2);
  expectOneOf(states, (state) => expect(events).toEqual(offerEvents(tracked, state)));
  // Whoever asks again gets the same token, and the same answer with credentials, unless claims are kept for others.
  const sizes = [real.tokens, ...(world.keepsClaims ? [] : [real.answers])].map(({ size }) => size);
  expect([real.id, sizes.filter((size) => size > 1)]).toEqual([real.id, []]);
  expectOneOf(states, ({ status, count }) => {
    if (real.credentials.size > 0) expect(status).toBe('ISSUED');
    expect(real.credentials.size).toBeLessThanOrEqual(count);
    if (!tracked.isUncertain) expect(real.credentials.size).toBe(count);
  });
}

/**
 * What is left of ended flows ($1): nothing that would open them or say whose they were, but the claims of those that keep
 * them ($2); no answer that nobody can get any more ($3); nothing at all after their retention ($4).
 */
const REMAINS = `
  SELECT 'session' AS what FROM verifier.presentation_request WHERE state = ANY($1) AND session IS NOT NULL
  UNION ALL SELECT 'secrets' FROM issuer.credential_offer WHERE offer_id = ANY($1)
    AND num_nonnulls(code_digest, tx_code_digest, transaction_keys) > 0
  UNION ALL SELECT 'claims' FROM issuer.credential_offer WHERE offer_id = ANY($1) AND NOT offer_id = ANY($2)
    AND num_nonnulls(session, wallet_status) > 0
  UNION ALL SELECT 'answer' FROM issuer.kept_answer AS kept JOIN issuer.access_token USING (token_digest)
    WHERE offer_id = ANY($3) AND kept.expires_at > now()
  UNION ALL SELECT 'request' FROM verifier.presentation_request WHERE state = ANY($4)
  UNION ALL SELECT 'offer' FROM issuer.credential_offer WHERE offer_id = ANY($4)
  UNION ALL SELECT 'token' FROM issuer.access_token WHERE offer_id = ANY($4)
  UNION ALL SELECT 'event' FROM issuer.callback WHERE subject = ANY($5) AND payload IS NOT NULL
  UNION ALL SELECT 'event' FROM verifier.callback WHERE subject = ANY($5) AND payload IS NOT NULL`;

const idsOf = (flows: readonly (TrackedRequest | TrackedOffer)[]) => flows.map(({ real }) => real.id);
const keysOf = (flows: readonly (TrackedRequest | TrackedOffer)[]) =>
  idsOf(flows).map((id) => Buffer.from(id, 'base64url'));
const isForgotten = ({ states }: TrackedRequest | TrackedOffer) => states.every((state) => state.isForgotten);

async function judgeRemains({ world, requests, offers }: Play): Promise<void> {
  const all = [...requests, ...offers];
  const keeping = offers.filter(({ states }) => states.some((one) => one.status === 'ISSUED' && one.keepsClaims));
  const gone = offers.filter(({ states }) => !states.some(isKept));
  const parameters = [keysOf(all), keysOf(keeping), keysOf(gone), keysOf(all.filter(isForgotten)), idsOf(all)];
  const find = async () => (await world.rows.query<{ what: string }>(REMAINS, parameters)).rows;
  // Claims that were kept for further requests are deleted by the next sweep.
  if (world.keepsClaims) await until(async () => !(await find()).some(({ what }) => what === 'claims'));
  expect(await find()).toEqual([]);
}

/** Ends a history, and holds what its backend was told, what its wallets got and what is stored against each other. */
export async function judgeEnds(play: Play, told: Told): Promise<void> {
  await endAll(play);
  for (const tracked of play.requests) await judgeRequest(play, tracked, told);
  for (const tracked of play.offers) await judgeOffer(play.world, tracked, told);
  await judgeRemains(play);
}
