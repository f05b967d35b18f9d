import fc from 'fast-check';
import type { NotificationEvent } from '@vestibule/oid4vci';
import type { CredentialStatus } from '../domain/credential-status';

/** One step in the life of offers. Offers, nonces, proofs and requests are numbers, whatever they are in a store. */
export type Step =
  | { readonly kind: 'redeem'; readonly offer: number; readonly proofs: readonly Proof[]; readonly isRight: boolean }
  | {
      readonly kind: 'read';
      readonly offer: number;
      readonly proof: number;
      readonly nonces: readonly number[];
      /** The claims are those that later completions are for. */
      readonly isRemembered: boolean;
    }
  | {
      readonly kind: 'complete';
      readonly offer: number;
      readonly nonces: readonly number[];
      /** How many status indexes are drawn: the first of these, as far as they are free. */
      readonly entries: number;
      readonly candidates: readonly number[];
      /** The request whose answer is kept. */
      readonly request: number | undefined;
      readonly isHeld: boolean;
      /** With the claims that were read last, as for a deferred offer. */
      readonly isVersioned: boolean;
    }
  | {
      readonly kind: 'defer';
      readonly offer: number;
      readonly nonces: readonly number[];
      readonly request: number;
      readonly isKept: boolean;
    }
  | { readonly kind: 'supply' | 'fail' | 'cancel' | 'revoke'; readonly offer: number }
  | { readonly kind: 'notify'; readonly offer: number; readonly event: NotificationEvent }
  | {
      readonly kind: 'handOver';
      readonly handOvers: readonly { readonly offer: number; readonly isRepeated: boolean }[];
    }
  | { readonly kind: 'status'; readonly offer: number; readonly status: CredentialStatus }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'wait'; readonly seconds: number };
export interface Proof {
  readonly kind: 'dpop_proof' | 'attestation_proof';
  readonly name: number;
}
export type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

export interface OfferKind {
  readonly isDeferred: boolean;
  readonly hasTxCode: boolean;
}

/** Requests from this number on are answered with credentials, those below with promises. */
export const FIRST_CREDENTIAL_REQUEST = 2;

/** So few of everything that steps meet. */
const NUMBERS = { offers: 2, nonces: 8, proofs: 6, indexes: 24 };
const offer = fc.nat(NUMBERS.offers - 1);
const request = fc.nat(FIRST_CREDENTIAL_REQUEST - 1);
const nonces = fc.oneof(
  fc.nat(NUMBERS.nonces - 1).map((one) => [one]),
  fc.uniqueArray(fc.nat(NUMBERS.nonces - 1), { maxLength: 3 }),
);
const proofs = fc
  .record({ pop: fc.option(fc.nat(NUMBERS.proofs - 1)), dpop: fc.nat(NUMBERS.proofs - 1) })
  .map(({ pop, dpop }): Proof[] => [
    ...(pop === null ? [] : [{ kind: 'attestation_proof' as const, name: pop }]),
    { kind: 'dpop_proof', name: dpop },
  ]);
const kind = <Kind extends Step['kind']>(name: Kind) => fc.constant(name);
const COMPLETE = fc.record({
  kind: kind('complete'),
  offer,
  nonces,
  entries: fc.nat(2),
  candidates: fc.shuffledSubarray(
    Array.from({ length: NUMBERS.indexes }, (_, idx) => idx),
    { minLength: 2, maxLength: 4 },
  ),
  request: fc.option(
    request.map((number) => number + FIRST_CREDENTIAL_REQUEST),
    { nil: undefined },
  ),
  isHeld: fc.boolean(),
  isVersioned: fc.boolean(),
});
const event = fc.constantFrom<NotificationEvent>('credential_accepted', 'credential_failure', 'credential_deleted');
const handOvers = fc.array(fc.record({ offer, isRepeated: fc.boolean() }), { minLength: 1, maxLength: 3 });
const status = fc.constantFrom<CredentialStatus>('valid', 'suspended', 'revoked');

/** The steps that may come at the same moment. */
const AT_ONCE: fc.WeightedArbitrary<Step>[] = [
  { weight: 4, arbitrary: fc.record({ kind: kind('redeem'), offer, proofs, isRight: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('read'),
      offer,
      proof: fc.nat(NUMBERS.proofs - 1),
      nonces,
      isRemembered: fc.constant(true),
    }),
  },
  { weight: 6, arbitrary: COMPLETE },
  { weight: 3, arbitrary: fc.record({ kind: kind('defer'), offer, nonces, request, isKept: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('supply'), offer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('fail', 'cancel', 'revoke'), offer }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('notify'), offer, event }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('handOver'), handOvers }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('status'), offer, status }) },
];
const wait = (...seconds: number[]) => fc.record({ kind: kind('wait'), seconds: fc.constantFrom(...seconds) });

/** A few steps at the same moment. */
export const stepsAtOnce = fc.array(fc.oneof(...AT_ONCE), { minLength: 2, maxLength: 4 });
const SINGLE = fc.oneof(
  ...AT_ONCE,
  { weight: 2, arbitrary: fc.record({ kind: kind('sweep') }) },
  { weight: 3, arbitrary: wait(1, 31) },
  { weight: 1, arbitrary: wait(121, 301, 3_600) },
);
const ALONE = { nonces: [], entries: 1, candidates: [30], request: 2, isHeld: true };
/** Steps that mean something only after one another, which chance seldom finds. */
const RARE = offer.chain((one) => {
  const complete = (more: Partial<StepOf<'complete'>>): Step => ({
    ...{ kind: 'complete', offer: one, isVersioned: false, ...ALONE },
    ...more,
  });
  return fc.constantFrom<readonly Step[]>(
    // Claims that were replaced after they were read, and that are kept.
    [
      { kind: 'read', offer: one, proof: 0, nonces: [], isRemembered: true },
      { kind: 'supply', offer: one },
      complete({}),
      complete({ isVersioned: true, request: 3 }),
    ],
    // An index that was drawn for nothing, and an offer that is forgotten.
    [complete({ nonces: [0] }), complete({ nonces: [0] }), { kind: 'wait', seconds: 3_600 }, { kind: 'sweep' }],
    [complete({ nonces: [0] }), { kind: 'fail', offer: one }, { kind: 'wait', seconds: 3_600 }, { kind: 'sweep' }],
    // An answer that is handed over, asked for again, and told about.
    [
      complete({}),
      { kind: 'handOver', handOvers: [{ offer: one, isRepeated: true }] },
      { kind: 'notify', offer: one, event: 'credential_accepted' },
      { kind: 'status', offer: one, status: 'revoked' },
    ],
  );
});

/** A history, one step after another. */
export const history = (minLength: number, maxLength: number) =>
  fc
    .array(
      fc.oneof(
        { weight: 12, arbitrary: SINGLE.map((step): readonly Step[] => [step]) },
        { weight: 1, arbitrary: RARE },
      ),
      { minLength, maxLength, size: 'max' },
    )
    .map((parts) => parts.flat());
const offerKind = fc.record({ isDeferred: fc.boolean(), hasTxCode: fc.boolean() });
export const offerKinds = fc.array(offerKind, { minLength: NUMBERS.offers, maxLength: NUMBERS.offers });
