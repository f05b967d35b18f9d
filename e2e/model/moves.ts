import fc from 'fast-check';
import type {
  Client,
  CredentialStatus,
  CredentialStep,
  Keys,
  NotificationEvent,
  OfferKind,
  OfferStatus,
  Secrecy,
  TokenStep,
} from './offer-state';
import type { RequestKind, RequestStatus, Showing } from './request-model';
import type { FlowKind } from './world';

/** What somebody does with a presentation request. */
export type RequestAct =
  | { readonly kind: 'withdraw' | 'expire' | 'read' | 'forget' }
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
  | { readonly kind: 'stop_redelivery' }
  | { readonly kind: 'forget' }
  | { readonly kind: 'supply' }
  | { readonly kind: 'token'; readonly wallet: 0 | 1; readonly client: Client; readonly code: TokenStep['code'] }
  | ({ readonly wallet: 0 | 1 } & Pick<
      CredentialStep,
      'kind' | 'keys' | 'nonce' | 'isWrong' | 'isAttested' | 'secrecy'
    >)
  | { readonly kind: 'collect'; readonly wallet: 0 | 1; readonly isOlder: boolean; readonly secrecy: Secrecy }
  | { readonly kind: 'notify'; readonly wallet: 0 | 1; readonly event: NotificationEvent }
  | { readonly kind: 'status'; readonly status: CredentialStatus };

/** How the backend takes callbacks from now on. */
export type BackendMode = 'takes' | 'fails' | 'refuses' | 'is_gone' | 'is_busy' | 'redirects' | 'is_slow' | 'hangs';
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
    }
  /** An operator has events that wait sent now, or dead letters again. */
  | { readonly on: 'operator'; readonly act: 'retry' | 'replay'; readonly service: 'verifier' | 'issuer' }
  /** Every connection to it breaks. */
  | { readonly on: 'server'; readonly server: 'postgres' | 'nats' };

/** Flows, and what happens to them: the moves of a group at the same moment, the groups one after another. */
export interface History {
  readonly requests: readonly (RequestKind & FlowKind)[];
  readonly offers: readonly (OfferKind & FlowKind)[];
  readonly groups: readonly (readonly Move[])[];
}

const COUNTS = { requests: 2, offers: 3 };
const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({ weight, arbitrary });
const bit = fc.constantFrom<0 | 1>(0, 1);
/** The first wallet more often: what it began, it goes on with. */
const wallet = fc.constantFrom<0 | 1>(0, 0, 0, 1);
const kind = <const Kind>(...names: Kind[]) => fc.constantFrom(...names);

const showing = fc.oneof(
  weighted(5, kind<Showing>('good')),
  weighted(
    5,
    kind<Showing>('other_nonce', 'unbound', 'foreign', 'other_state', 'garbled', 'declined', 'declined_plainly'),
  ),
  weighted(
    4,
    kind<Showing>(
      'replayed',
      'other_holder',
      'undisclosed',
      'twice',
      'other_query',
      'unconfirmed',
      'unconfirmed',
      'other_transaction',
    ),
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
const client = kind<Client>('anonymous', 'anonymous', 'attested', 'attested', 'stranger');
const keys = kind<Keys>('a', 'a', 'a', 'b', 'ab');
const nonce = kind<'fresh' | 'used'>('fresh', 'fresh', 'fresh', 'used');
const secrecy = kind<Secrecy>('none', 'none', 'none', 'request', 'both', 'both', 'answer');
const credential = fc.record({
  kind: kind('credential'),
  wallet,
  keys,
  nonce,
  isWrong: kind('no', 'no', 'no', 'no', 'no', 'yes').map((word) => word === 'yes'),
  isAttested: fc.boolean(),
  secrecy,
});
const event = kind<NotificationEvent>('credential_accepted', 'credential_failure', 'credential_deleted');
const status = kind<CredentialStatus>('valid', 'suspended', 'revoked');
const passing: fc.Arbitrary<OfferAct> = fc.record({ kind: kind('stop_redelivery') });
const forget = fc.record({ kind: kind('forget') });
const offerAct: fc.Arbitrary<OfferAct> = fc.oneof(
  weighted<OfferAct>(6, fc.record({ kind: kind('token'), wallet, client, code })),
  weighted<OfferAct>(7, credential),
  weighted<OfferAct>(4, fc.record({ kind: kind('collect'), wallet, isOlder: fc.boolean(), secrecy })),
  weighted<OfferAct>(3, fc.record({ kind: kind('notify'), wallet, event })),
  weighted<OfferAct>(3, fc.record({ kind: kind('supply') })),
  weighted<OfferAct>(2, fc.record({ kind: kind('status'), status })),
  weighted<OfferAct>(3, fc.record({ kind: kind('open', 'cancel', 'deny', 'expire', 'read') })),
  weighted<OfferAct>(1, passing),
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

const token: OfferAct = { kind: 'token', wallet: 0, client: 'attested', code: 'right' };
const get: OfferAct & { readonly kind: 'credential' } = {
  kind: 'credential',
  wallet: 0,
  keys: 'a',
  nonce: 'fresh',
  isWrong: false,
  isAttested: false,
  secrecy: 'none',
};
const supply: OfferAct = { kind: 'supply' };
const collect: OfferAct = { kind: 'collect', wallet: 0, isOlder: false, secrecy: 'both' };
const wrong: OfferAct = { ...token, code: 'wrong' };
const accept: OfferAct = { kind: 'notify', wallet: 0, event: 'credential_accepted' };
/** What has to come first, so that the acts at the same moment mean something. */
const usual = fc.constantFrom<readonly OfferAct[]>(
  [],
  [token],
  [token],
  [token, get],
  [token, get, supply],
  [token, get, supply, collect],
  [token, get, accept],
  [token, get, { ...get, keys: 'b', secrecy: 'both' }],
  [wrong, wrong, wrong, wrong],
);
const how = fc.record({ keys, isAttested: fc.boolean(), secrecy: kind<Secrecy>('none', 'request', 'both') });
/** The same, with other requests for credentials. */
const before = fc
  .tuple(usual, how)
  .map(([acts, other]) => acts.map((act) => (act === get ? { ...get, ...other } : act)));
const present: RequestAct = { kind: 'respond', showing: 'good', isSameDevice: true, held: 0 };
const onAlone = <Act>(flow: number, acts: readonly Act[], on: (flow: number, act: Act) => Move): Groups =>
  acts.map((act) => [on(flow, act)]);
/** A flow that has ended, perhaps so, is asked about after its time. */
const afterwards: fc.Arbitrary<Groups> = fc.oneof(
  fc
    .tuple(
      requestFlow,
      kind<RequestAct>(present, { kind: 'withdraw' }),
      fc.array(requestAct, { minLength: 1, maxLength: 3 }),
    )
    .map(([flow, end, acts]) => onAlone(flow, [end, { kind: 'forget' }, ...acts], onRequest)),
  fc
    .tuple(offerFlow, before, fc.array(fc.oneof(offerAct, forget), { minLength: 1, maxLength: 4 }))
    .map(([flow, acts, more]) => onAlone(flow, [...acts, { kind: 'forget' }, ...more], onOffer)),
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
  weighted<Move>(
    3,
    fc.record({
      on: kind('backend'),
      mode: kind<BackendMode>('takes', 'fails', 'refuses', 'is_gone', 'is_busy', 'redirects', 'is_slow', 'hangs'),
    }),
  ),
  weighted<Move>(
    3,
    fc.record({
      on: kind('process'),
      app: kind<KilledApp>('gateway', 'verifier', 'issuer'),
      replica: bit,
      signal: kind<'SIGKILL' | 'SIGTERM'>('SIGKILL', 'SIGTERM'),
    }),
  ),
  weighted<Move>(
    1,
    fc.record({ on: kind('operator'), act: kind('retry', 'replay'), service: kind('verifier', 'issuer') }),
  ),
  weighted<Move>(1, fc.record({ on: kind('server'), server: kind<'postgres' | 'nats'>('postgres', 'nats') })),
);

/** A group in which something is disturbed, too. */
const amid = (groups: fc.Arbitrary<Groups>): fc.Arbitrary<Groups> =>
  fc.tuple(groups, disturbance).map(([all, move]) => [...all.slice(0, -1), [...(all.at(-1) ?? []), move]]);

const flowKind = { hasOwnReceiver: fc.boolean(), copies: fc.constantFrom(1, 1, 2) };
const exactly = <T>(count: number, one: fc.Arbitrary<T>) => fc.array(one, { minLength: count, maxLength: count });

/** What may happen, besides what backends and wallets do. */
export interface Scope {
  /** Services are killed and the backend fails meanwhile. */
  readonly isDisturbed?: boolean;
  /** Ended flows are asked about after their retention; to wait for that takes seconds. */
  readonly isLong?: boolean;
}

/** Histories of a few flows. */
export function histories(parts: number, { isDisturbed = false, isLong = false }: Scope): fc.Arbitrary<History> {
  const common = [weighted(6, single), weighted(4, offerRace), weighted(3, requestRace), weighted(1, contest)];
  const calm = fc.oneof(...common, ...(isLong ? [weighted(1, afterwards)] : []));
  const part = isDisturbed ? fc.oneof(weighted(4, calm), weighted(1, amid(calm))) : calm;
  return fc.record({
    requests: exactly(
      COUNTS.requests,
      fc.record({ hasRedirect: fc.boolean(), hasTransaction: fc.boolean(), ...flowKind }),
    ),
    offers: exactly(COUNTS.offers, fc.record({ hasTxCode: fc.boolean(), isDeferred: fc.boolean(), ...flowKind })),
    groups: fc.array(part, { minLength: 1, maxLength: parts, size: 'max' }).map((all) => all.flat()),
  });
}
