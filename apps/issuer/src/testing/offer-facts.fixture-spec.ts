import { sha256 } from '@vestibule/crypto';
import type { OpenOffer } from '../domain/credential-offer';
import { STATUS_VALUES } from '../domain/credential-status';
import type { Model, ModelOffer } from './offer-model.fixture-spec';
import { FIRST_CREDENTIAL_REQUEST } from './offer-steps.fixture-spec';
import { at, type StoreStage } from './store.fixture-spec';

/** How exactly histories are compared. */
export type Exactness = 'exact' | 'at_once';

const REQUESTS = [0, 1, 2, 3];
const hex = (name: string) => Buffer.from(sha256(name)).toString('hex');
const instant = (seconds: number | null) => (seconds === null ? null : at(seconds).toISOString());

/**
 * What must be the same of two entries. What was only reserved may change its status or not when both happens at the same
 * moment.
 */
const entryFact = (
  entry: { idx: number; isIssued: boolean; isLinked: boolean; status: number },
  exactness: Exactness,
) => (exactness === 'exact' || entry.isIssued ? entry : { ...entry, status: 0 });

/** Of two promises that are made at the same moment, the one that is not open may stay for its time: nobody gets it. */
const keptFact = (requests: readonly number[], exactness: Exactness) =>
  exactness === 'exact' ? requests : requests.filter((request) => request >= FIRST_CREDENTIAL_REQUEST);

function rowOfModel(offer: ModelOffer) {
  const isOpen = offer.status === 'OFFER_CREATED';
  return {
    status: offer.status,
    expires: instant(offer.expires),
    finished: instant(offer.finished),
    attempts: offer.attempts,
    redeemed: instant(offer.redeemed),
    deferral: offer.deferral,
    claims: offer.claims !== null,
    code: isOpen,
    txCode: isOpen && offer.hasTxCode,
    transaction: offer.transaction === null ? null : hex(`transaction ${offer.transaction}`),
    keys: isOpen && offer.transaction !== null,
    notification: offer.notification,
    notified: instant(offer.notified),
    handedOver: instant(offer.handedOver),
    repeated: instant(offer.repeated),
    accepted: instant(offer.accepted),
  };
}

/** What a database has to hold after the steps that the model has taken. */
export function factsOfModel(model: Model, exactness: Exactness) {
  return {
    offers: model.offers.map((offer) => ({
      row: offer.exists ? rowOfModel(offer) : null,
      token: instant(offer.token),
      given: instant(offer.given),
      givenKept: instant(offer.givenKept),
      kept: keptFact(
        REQUESTS.filter((request) => offer.kept[request] !== undefined),
        exactness,
      ).map((request) => [hex(`request ${request}`), instant(offer.kept[request] as number)]),
      entries: offer.entries
        .map(({ status, ...entry }) => entryFact({ ...entry, status: STATUS_VALUES[status] }, exactness))
        .sort((one, other) => one.idx - other.idx),
      events: offer.events.map((event) => `${event}${event === 'ISSUED' && offer.isHeld ? ' held' : ''}`),
    })),
    spent: Object.entries(model.spent)
      .map(([name, until]) => `${name.split(' ')[0]} ${hex(name)} ${instant(until)}`)
      .sort(),
    listVersion: exactness === 'exact' ? model.listVersion : 0,
  };
}

const OFFER = `
  SELECT status, expires_at AS expires, finished_at AS finished, tx_code_attempts AS attempts, redeemed_at AS redeemed,
    deferral, session IS NOT NULL AS claims, code_digest IS NOT NULL AS code, tx_code_digest IS NOT NULL AS "txCode",
    encode(transaction_digest, 'hex') AS transaction, transaction_keys IS NOT NULL AS keys, notification_event AS notification,
    notified_at AS notified, handed_over_at AS "handedOver", repeated_at AS repeated, accepted_at AS accepted
  FROM issuer.credential_offer WHERE offer_id = $1`;
const TOKENS = `SELECT expires_at AS until, code_digest IS NOT NULL AS given FROM issuer.access_token WHERE offer_id = $1`;
const KEPT = `
  SELECT encode(request_digest, 'hex') AS request, kept.expires_at AS until, code_digest IS NOT NULL AS given
  FROM issuer.kept_answer AS kept JOIN issuer.access_token USING (token_digest) WHERE offer_id = $1`;
const EVENTS = `
  SELECT status || CASE WHEN held_until > now() THEN ' held' ELSE '' END AS event FROM issuer.callback
  WHERE subject = $1 ORDER BY sequence`;
const SPENT = `SELECT kind, encode(digest, 'hex') AS digest, expires_at AS until FROM issuer.spent`;

interface EntryRow {
  readonly idx: number;
  readonly is_issued: boolean;
  readonly offer_id: Buffer | null;
  readonly status: number;
}

/** What a database holds about the offers. `indexes` are those that each offer has drawn. */
export function factsReader({ database }: Pick<StoreStage, 'database'>, offers: readonly OpenOffer[]) {
  const query = <Row extends object>(sql: string, key: unknown) => database.query<Row>(sql, [key]);
  async function offerFacts({ offerId }: OpenOffer, own: readonly EntryRow[], exactness: Exactness) {
    const key = Buffer.from(offerId, 'base64url');
    const [row] = await query<object>(OFFER, key);
    const tokens = await query<{ until: Date; given: boolean }>(TOKENS, key);
    const kept = await query<{ request: string; until: Date; given: boolean }>(KEPT, key);
    const tokenOfKind = (isGiven: boolean) =>
      tokens.find(({ given }) => given === isGiven)?.until.toISOString() ?? null;
    const wanted = keptFact(REQUESTS, exactness).map((request) => hex(`request ${request}`));
    const events = await query<{ event: string }>(EVENTS, offerId);
    return {
      row: row ? (JSON.parse(JSON.stringify(row)) as object) : null,
      token: tokenOfKind(false),
      given: tokenOfKind(true),
      givenKept: kept.find(({ given }) => given)?.until.toISOString() ?? null,
      kept: wanted.flatMap((digest) =>
        kept.filter(({ request }) => request === digest).map(({ request, until }) => [request, until.toISOString()]),
      ),
      entries: own.map(({ idx, is_issued: isIssued, offer_id: linked, status }) =>
        entryFact({ idx, isIssued, isLinked: linked !== null, status }, exactness),
      ),
      events: events.map(({ event }) => event),
    };
  }
  return async function readFacts(drawn: readonly (readonly number[])[], exactness: Exactness) {
    const entries = await database.query<EntryRow>(
      'SELECT idx, is_issued, offer_id, status FROM issuer.status_entry ORDER BY idx',
    );
    const spent = await database.query<{ kind: string; digest: string; until: Date }>(SPENT);
    const [list] = await database.query<{ version: string }>('SELECT version FROM issuer.status_list');
    const facts: unknown[] = [];
    for (const [index, offer] of offers.entries()) {
      const own = entries.filter(({ idx }) => drawn[index]?.includes(idx));
      facts.push(await offerFacts(offer, own, exactness));
    }
    return {
      offers: facts,
      spent: spent.map(({ kind, digest, until }) => `${kind} ${digest} ${until.toISOString()}`).sort(),
      listVersion: exactness === 'exact' ? Number(list?.version) : 0,
    };
  };
}
