import fc from 'fast-check';
import type { CredentialStatus, Keys, NotificationEvent, OfferKind, OfferStatus, TokenStep } from './offer-model';
import type { RequestStatus, Showing } from './request-model';

/** What somebody does with a presentation request. */
export type RequestAct =
  | { readonly kind: 'withdraw' | 'expire' | 'read' }
  | { readonly kind: 'fetch'; readonly isPost: boolean }
  | { readonly kind: 'respond'; readonly showing: Showing; readonly isSameDevice: boolean; readonly held: 0 | 1 }
  /** The same bytes as one of those before. */
  | { readonly kind: 'repeat'; readonly which: number };

/** What somebody does with a credential offer. */
export type OfferAct =
  | { readonly kind: 'open' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'read' }
  | { readonly kind: 'supply' }
  | { readonly kind: 'token'; readonly wallet: 0 | 1; readonly code: TokenStep['code'] }
  | {
      readonly kind: 'credential';
      readonly wallet: 0 | 1;
      readonly keys: Keys;
      readonly nonce: 'fresh' | 'used' | 'contested';
      readonly isWrong: boolean;
    }
  | { readonly kind: 'collect'; readonly wallet: 0 | 1; readonly isOlder: boolean }
  | { readonly kind: 'notify'; readonly wallet: 0 | 1; readonly event: NotificationEvent }
  | { readonly kind: 'status'; readonly status: CredentialStatus };

/** How the backend takes callbacks from now on. */
export type BackendMode = 'takes' | 'fails' | 'refuses' | 'is_gone';
export type KilledApp = 'gateway' | 'verifier' | 'issuer';

/** One thing that happens; flows are numbers, counted round those that there are. */
export type Move =
  | { readonly on: 'request'; readonly flow: number; readonly act: RequestAct }
  | { readonly on: 'offer'; readonly flow: number; readonly act: OfferAct }
  | { readonly on: 'request_list'; readonly limit: number; readonly status: RequestStatus | undefined }
  | { readonly on: 'offer_list'; readonly limit: number; readonly status: OfferStatus | undefined }
  | { readonly on: 'request_again' | 'offer_again'; readonly flow: number; readonly isOther: boolean }
  | { readonly on: 'backend'; readonly mode: BackendMode }
  | {
      readonly on: 'process';
      readonly app: KilledApp;
      readonly replica: 0 | 1;
      readonly signal: 'SIGKILL' | 'SIGTERM';
    };

/** Flows, and what happens to them: the moves of a group at the same moment, the groups one after another. */
export interface History {
  readonly requests: readonly { readonly hasRedirect: boolean; readonly copies: number }[];
  readonly offers: readonly (OfferKind & { readonly copies: number })[];
  readonly groups: readonly (readonly Move[])[];
}

const COUNTS = { requests: 2, offers: 3 };
const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({ weight, arbitrary });
const bit = fc.constantFrom<0 | 1>(0, 1);
/** The first wallet more often: what it began, it goes on with. */
const wallet = fc.constantFrom<0 | 1>(0, 0, 0, 1);
const kind = <Kind extends string>(...names: Kind[]) => fc.constantFrom(...names);

const showing = fc.oneof(
  weighted(5, kind<Showing>('good')),
  weighted(
    5,
    kind<Showing>('other_nonce', 'unbound', 'foreign', 'other_state', 'garbled', 'declined', 'declined_plainly'),
  ),
  weighted(3, kind<Showing>('no_jwe', 'plain_token', 'declined_for_another')),
);
const respond = fc.record({ kind: kind('respond'), showing, isSameDevice: fc.boolean(), held: bit });
const requestAct: fc.Arbitrary<RequestAct> = fc.oneof(
  weighted<RequestAct>(7, respond),
  weighted<RequestAct>(3, fc.record({ kind: kind('repeat'), which: fc.nat(5) })),
  weighted<RequestAct>(1, fc.record({ kind: kind('fetch'), isPost: fc.boolean() })),
  weighted<RequestAct>(3, fc.record({ kind: kind('withdraw', 'expire', 'read') })),
);

const code = kind<TokenStep['code']>('right', 'right', 'right', 'wrong', 'other');
const keys = kind<Keys>('a', 'a', 'a', 'b', 'ab');
const nonce = kind<'fresh' | 'used'>('fresh', 'fresh', 'fresh', 'used');
const credential = fc.record({
  kind: kind('credential'),
  wallet,
  keys,
  nonce,
  isWrong: kind('no', 'no', 'no', 'no', 'no', 'yes').map((word) => word === 'yes'),
});
const event = kind<NotificationEvent>('credential_accepted', 'credential_failure', 'credential_deleted');
const status = kind<CredentialStatus>('valid', 'suspended', 'revoked');
const offerAct: fc.Arbitrary<OfferAct> = fc.oneof(
  weighted<OfferAct>(6, fc.record({ kind: kind('token'), wallet, code })),
  weighted<OfferAct>(7, credential),
  weighted<OfferAct>(4, fc.record({ kind: kind('collect'), wallet, isOlder: fc.boolean() })),
  weighted<OfferAct>(3, fc.record({ kind: kind('notify'), wallet, event })),
  weighted<OfferAct>(3, fc.record({ kind: kind('supply') })),
  weighted<OfferAct>(2, fc.record({ kind: kind('status'), status })),
  weighted<OfferAct>(3, fc.record({ kind: kind('open', 'cancel', 'deny', 'expire', 'read') })),
);

const requestFlow = fc.nat(COUNTS.requests - 1);
const offerFlow = fc.nat(COUNTS.offers - 1);
const onRequest = (flow: number, act: RequestAct): Move => ({ on: 'request', flow, act });
const onOffer = (flow: number, act: OfferAct): Move => ({ on: 'offer', flow, act });
const list: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    on: kind('request_list'),
    limit: fc.integer({ min: 1, max: 3 }),
    status: fc.option(kind<RequestStatus>('PENDING', 'FULFILLED', 'EXPIRED'), { nil: undefined, freq: 1 }),
  }),
  fc.record({
    on: kind('offer_list'),
    limit: fc.integer({ min: 1, max: 3 }),
    status: fc.option(kind<OfferStatus>('OFFER_CREATED', 'ISSUED', 'FAILED'), { nil: undefined, freq: 1 }),
  }),
);
const again: fc.Arbitrary<Move> = fc.record({
  on: kind('request_again', 'offer_again'),
  flow: fc.nat(2),
  isOther: fc.boolean(),
});

type Groups = readonly (readonly Move[])[];

const single: fc.Arbitrary<Groups> = fc
  .oneof(
    weighted(
      3,
      fc.tuple(requestFlow, requestAct).map(([flow, act]) => onRequest(flow, act)),
    ),
    weighted(
      6,
      fc.tuple(offerFlow, offerAct).map(([flow, act]) => onOffer(flow, act)),
    ),
    weighted(1, list),
    weighted(1, again),
  )
  .map((move) => [[move]]);

/** Two or three at the same moment with one flow, perhaps beside a list. */
const atOnce = <Act>(flow: fc.Arbitrary<number>, act: fc.Arbitrary<Act>, on: (flow: number, act: Act) => Move) =>
  fc
    .tuple(flow, fc.array(act, { minLength: 2, maxLength: 3 }), fc.option(list))
    .map(([one, acts, read]): readonly Move[] => [...acts.map((act) => on(one, act)), ...(read ? [read] : [])]);

const token: OfferAct = { kind: 'token', wallet: 0, code: 'right' };
const get: OfferAct = { kind: 'credential', wallet: 0, keys: 'a', nonce: 'fresh', isWrong: false };
const supply: OfferAct = { kind: 'supply' };
const collect: OfferAct = { kind: 'collect', wallet: 0, isOlder: false };
const wrong: OfferAct = { kind: 'token', wallet: 0, code: 'wrong' };
const accept: OfferAct = { kind: 'notify', wallet: 0, event: 'credential_accepted' };
/** What has to come first, so that the acts at the same moment mean something. */
const before = fc.constantFrom<readonly OfferAct[]>(
  [],
  [token],
  [token],
  [token, get],
  [token, get, supply],
  [token, get, supply, collect],
  [token, get, accept],
  [wrong, wrong, wrong, wrong],
);
const offerRace: fc.Arbitrary<Groups> = fc.tuple(before, atOnce(offerFlow, offerAct, onOffer)).map(([acts, group]) => {
  const flow = group[0]?.on === 'offer' ? group[0].flow : 0;
  return [...acts.map((act) => [onOffer(flow, act)]), group];
});
const requestRace: fc.Arbitrary<Groups> = atOnce(requestFlow, requestAct, onRequest).map((group) => [group]);
/** Two offers are asked with one nonce at the same moment. */
const contest: fc.Arbitrary<Groups> = offerFlow.map((flow) => {
  const two = [flow, (flow + 1) % COUNTS.offers];
  const contested: OfferAct = { ...get, nonce: 'contested' };
  return [two.map((one) => onOffer(one, token)), two.map((one) => onOffer(one, contested))];
});

const disturbance: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ on: kind('backend'), mode: kind<BackendMode>('takes', 'fails', 'refuses', 'is_gone') }),
  fc.record({
    on: kind('process'),
    app: kind<KilledApp>('gateway', 'verifier', 'issuer'),
    replica: bit,
    signal: kind<'SIGKILL' | 'SIGTERM'>('SIGKILL', 'SIGTERM'),
  }),
);

/** A group in which something is disturbed, too. */
const amid = (groups: fc.Arbitrary<Groups>): fc.Arbitrary<Groups> =>
  fc.tuple(groups, disturbance).map(([all, move]) => [...all.slice(0, -1), [...(all.at(-1) ?? []), move]]);

const copies = fc.constantFrom(1, 1, 2);

/** Histories of a few flows; `isDisturbed`: services are killed and the backend fails meanwhile. */
export function histories(parts: number, isDisturbed: boolean): fc.Arbitrary<History> {
  const calm = fc.oneof(weighted(6, single), weighted(4, offerRace), weighted(3, requestRace), weighted(1, contest));
  const part = isDisturbed ? fc.oneof(weighted(4, calm), weighted(1, amid(calm))) : calm;
  return fc.record({
    requests: fc.array(fc.record({ hasRedirect: fc.boolean(), copies }), {
      minLength: COUNTS.requests,
      maxLength: COUNTS.requests,
    }),
    offers: fc.array(fc.record({ hasTxCode: fc.boolean(), isDeferred: fc.boolean(), copies }), {
      minLength: COUNTS.offers,
      maxLength: COUNTS.offers,
    }),
    groups: fc.array(part, { minLength: 1, maxLength: parts, size: 'max' }).map((all) => all.flat()),
  });
}
