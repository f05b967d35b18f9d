import { sha256 } from '@vestibule/crypto';
import type { Database } from '@vestibule/persistence';
import { DRAW_INDEX, DRAW_INDEXES } from '../adapters/postgres/status-statements';
import { COMPLETE, COMPLETE_ONE, REDEEM, REDEEM_ONE } from '../adapters/postgres/statements';
import { failedEvent, issuanceEvent } from '../domain/issuance-event';
import type { OpenOffer } from '../domain/credential-offer';
import {
  GIVEN_SECONDS,
  KEPT_SECONDS,
  KEPT_TOKEN_SECONDS,
  NONCE_SECONDS,
  PROOF_SECONDS,
} from './offer-model.fixture-spec';
import type { OfferKind, Proof, Step, StepOf } from './offer-steps.fixture-spec';
import { X5C } from './status-lists.fixture-spec';
import {
  at,
  completionOf,
  newOffer,
  readBy,
  redemptionOf,
  tokenOf,
  TX_CODE,
  type StoreStage,
} from './store.fixture-spec';

/** The statements for one of something, and which of their parameters are arrays in those for several. */
const FOR_SEVERAL = new Map<string, readonly [sql: string, arrays: readonly number[]]>([
  [COMPLETE_ONE, [COMPLETE, [2, 3, 6, 7]]],
  [REDEEM_ONE, [REDEEM, [18, 19, 20]]],
  [DRAW_INDEX, [DRAW_INDEXES, []]],
]);

/** The same database, where every statement for one of something is the one for several. */
export function withStatementsForSeveral(database: Database): Database {
  const query: Database['query'] = (sql, parameters = []) => {
    const [general, arrays] = FOR_SEVERAL.get(sql) ?? [sql, []];
    const given = parameters.map((value, at) => {
      if (!arrays.includes(at)) return value;
      return value === null ? [] : [value];
    });
    return database.query(general, given);
  };
  return { ...database, query };
}

const named = (name: string) => Buffer.from(sha256(name));
const nonce = (now: number) => (name: number) => ({
  digest: named(`c_nonce ${name}`),
  expiresAt: at(now + NONCE_SECONDS),
});
const proof =
  (now: number) =>
  ({ kind, name }: Proof) => ({
    kind,
    digest: named(`${kind} ${name}`),
    expiresAt: at(now + PROOF_SECONDS),
  });
const answerTo = (request: number, now: number) => ({
  requestDigest: named(`request ${request}`),
  sealed: Buffer.from(`answer ${request}`),
  expiresAt: at(now + KEPT_SECONDS),
});
const LIST = { listId: Buffer.alloc(16, 1).toString('base64url'), size: 64, x5c: X5C, issuer: '' };

/** The offers of a history before it begins. */
export const offersOf = (kinds: readonly OfferKind[]): OpenOffer[] =>
  kinds.map(({ isDeferred }) => newOffer(isDeferred ? { deferral: 'waiting' } : {}));

export interface WorldOptions {
  readonly stage: StoreStage;
  readonly offers: readonly OpenOffer[];
  readonly kinds: readonly OfferKind[];
  readonly keepsClaims: boolean;
}

/** The stores, and what a history knows about them. */
interface Place {
  readonly stage: StoreStage;
  readonly store: ReturnType<StoreStage['storeWith']>;
  readonly offers: readonly OpenOffer[];
  readonly claimsRead: (Uint8Array | undefined)[];
  /** Different for each step. */
  readonly name: string;
  readonly now: number;
}

const offerAt = ({ offers }: Place, index: number) => offers[index] as OpenOffer;

function redeem(place: Place, { offer: index, proofs, isRight }: StepOf<'redeem'>) {
  const { store, now, name } = place;
  const offer = offerAt(place, index);
  return store.redeem(
    redemptionOf(offer, {
      proofs: proofs.map(proof(now)),
      ...(offer.txCode ? { txCode: isRight ? TX_CODE : '000000' } : {}),
      tokenDigest: named(name),
      tokenExpiresAt: at(GIVEN_SECONDS),
      keptToken: { requestDigest: named('token'), sealed: named(name), expiresAt: at(now + KEPT_TOKEN_SECONDS) },
      now: at(now),
    }),
  );
}

async function read(place: Place, { offer: index, proof: name, nonces, isRemembered }: StepOf<'read'>) {
  const { store, now, claimsRead } = place;
  const presented = { proof: proof(now)({ kind: 'dpop_proof', name }), thumbprint: 'thumbprint-of-a-key' };
  const digests = nonces.map((one) => nonce(now)(one).digest);
  const grant = await store.findGrant(named(tokenOf(offerAt(place, index))), at(now), digests, presented);
  if (!grant) return 'nothing';
  if (grant.deferral && isRemembered) claimsRead[index] = grant.claimsVersion;
  const requests = [0, 1, 2, 3].filter((request) =>
    grant.keptRequests.some((digest) => named(`request ${request}`).equals(digest)),
  );
  return {
    status: grant.status,
    hasClaims: grant.claims !== undefined,
    isFresh: grant.isProofFresh,
    used: grant.usedNonces.length,
    kept: requests,
  };
}

async function complete(place: Place, step: StepOf<'complete'>) {
  const { store, stage, now, claimsRead } = place;
  const { offerId } = offerAt(place, step.offer);
  // As many as are needed: which of several free ones are taken is left to Postgres.
  const candidates = step.candidates.slice(0, step.entries);
  const draw = { offerId, expiresAt: at(31_536_000), candidates, count: step.entries, x5c: X5C };
  const drawing = step.entries > 0 ? await stage.statusLists.drawIndexes({ ...draw, issuer: '' }) : undefined;
  const { listNumber = 0, indexes = [] } = drawing ?? {};
  const claimsVersion = step.isVersioned ? claimsRead[step.offer] : undefined;
  const completion = completionOf(
    { offerId },
    {
      offer: { ...readBy({ offerId }), ...(claimsVersion ? { claimsVersion } : {}) },
      nonces: step.nonces.map(nonce(now)),
      entries: indexes.map((idx) => ({ listNumber, idx, uri: 'unused' })),
      kept: step.request === undefined ? undefined : answerTo(step.request, now),
      holdSeconds: step.isHeld ? KEPT_SECONDS : 0,
      now: at(now),
    },
  );
  return { outcome: await store.complete(completion), drawn: indexes };
}

function defer(place: Place, { offer, nonces, request, isKept }: StepOf<'defer'>) {
  const { store, now } = place;
  const promise = {
    transactionDigest: named(`transaction ${request}`),
    keys: [],
    statuses: [],
    kept: isKept ? answerTo(request, now) : undefined,
  };
  return store.defer(readBy(offerAt(place, offer)), nonces.map(nonce(now)), promise, at(now));
}

async function sweep({ store, now }: Place) {
  const overdue = await store.findOverdue(at(now), 100);
  const endings = overdue.map(({ offerId }) => ({ offerId, event: issuanceEvent(offerId, 'EXPIRED') }));
  const expired = await store.expire(endings, at(now));
  await store.purge(at(now), 100);
  return expired;
}

const failure = (offerId: string) => failedEvent(offerId, 'signing_failed', 'text');
const TAKE: { readonly [Kind in Step['kind']]: (place: Place, step: StepOf<Kind>) => Promise<unknown> } = {
  redeem,
  read,
  complete,
  defer,
  supply: (place, { offer }) =>
    place.store.completeClaims(offerAt(place, offer).offerId, { given_name: place.name }, at(place.now)),
  fail: (place, { offer }) => {
    const { offerId } = offerAt(place, offer);
    return place.store.fail(offerId, failure(offerId), at(place.now));
  },
  cancel: (place, { offer }) => {
    const { offerId } = offerAt(place, offer);
    return place.store.cancel(offerId, failure(offerId), at(place.now));
  },
  revoke: async (place, { offer }) => {
    await place.store.revokeToken(named(tokenOf(offerAt(place, offer))));
    return 'done';
  },
  notify: (place, { offer, event }) =>
    place.store.recordNotification(offerAt(place, offer).offerId, event, at(place.now)),
  handOver: (place, { handOvers }) =>
    place.store.recordHandOvers(
      handOvers.map(({ offer, isRepeated }) => ({ offerId: offerAt(place, offer).offerId, isRepeated })),
      at(place.now),
    ),
  status: ({ stage, ...place }, { offer, status }) =>
    stage.statusLists.changeStatus(offerAt({ stage, ...place }, offer).offerId, status, at(place.now)),
  sweep,
  wait: () => Promise.resolve('done'),
};

/** Real stores with the offers of a history. */
export async function createWorld({ stage, offers, kinds, keepsClaims }: WorldOptions) {
  await stage.clear();
  const store = stage.storeWith(stage.keys, keepsClaims);
  await stage.statusLists.openList(LIST, undefined);
  const stored: OpenOffer[] = [];
  for (const [index, offer] of offers.entries())
    stored.push(await stage.insert(offer, kinds[index]?.hasTxCode ? TX_CODE : undefined, store));
  const claimsRead: Place['claimsRead'] = offers.map(() => undefined);
  return {
    /** Takes a step `now` seconds after the offers were made. */
    take: (step: Step, name: string, now: number): Promise<unknown> =>
      TAKE[step.kind]({ stage, store, offers: stored, claimsRead, name, now }, step as never),
  };
}
