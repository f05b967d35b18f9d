import { deepStrictEqual } from 'node:assert';
import type { KeyObject } from 'node:crypto';
import fc, { type GeneratorValue } from 'fast-check';
import { exportPublicJwk, signCompactJws } from '@vestibule/crypto';
import { parseVctSubtypes } from '@vestibule/dcql';
import { createCertificateAuthority, keyIdentifier } from '@vestibule/dev-pki';
import { VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { verifyVpToken, type IssuerTrust, type TransactionDatum } from './index';
import {
  expectedOf,
  type Answer,
  type Card,
  type Delivery,
  type Part,
  type Path,
  type Shown,
  type WireClaim,
  type WireCredential,
  type WireQuery,
  type World,
} from './testing/answer-model.fixture-spec';
import { conceal, encode, hashed } from './testing/conceal-card.fixture-spec';
import {
  anchorOf,
  base64,
  bind,
  createStage,
  expectationOf,
  ISSUER,
  NOW,
  NOW_SECONDS,
  queryOf,
  sha256,
  trustOf,
  type Stage,
} from './testing/presentation.fixture-spec';

/** The root of the stage is trusted for the first two, another, with a liar below it, for the next two. */
const TYPES = ['urn:only-one', 'urn:both', 'urn:only-two', 'urn:nobodys', 'urn:nobodys-subtype'] as const;
const SUPERTYPES = { 'urn:only-two': 'urn:only-one', 'urn:nobodys-subtype': 'urn:only-one' };
const TRUSTED = { 'urn:only-one': ['one'], 'urn:both': ['one', 'two', 'liar'], 'urn:only-two': ['two', 'liar'] };

let stage: Stage;
let trust: IssuerTrust;
let world: World;
let signers: Record<string, { readonly key: KeyObject; readonly x5c: readonly Uint8Array[] }>;
beforeAll(async () => {
  stage = await createStage();
  const { pki, foreignRoot } = stage;
  const unknown = await createCertificateAuthority({ name: 'Unknown', now: NOW });
  const two = await foreignRoot.issue({ name: 'Two' });
  const wanted = keyIdentifier(pki.root.privateKey);
  const liar = await foreignRoot.issue({ name: 'Liar', authorityKeyIdentifier: wanted });
  const stranger = await unknown.issue({ name: 'Stranger', authorityKeyIdentifier: wanted });
  signers = {
    one: { key: pki.issuer.privateKey, x5c: pki.issuer.chain },
    two: { key: two.privateKey, x5c: [two.certificate] },
    liar: { key: liar.privateKey, x5c: [liar.certificate] },
    stranger: { key: stranger.privateKey, x5c: [stranger.certificate] },
  };
  const typesOf = (issuer: string) =>
    TYPES.filter((type) => (TRUSTED as Record<string, string[]>)[type]?.includes(issuer));
  const anchors = [
    anchorOf(pki.root.certificate, { vcts: typesOf('one') }),
    anchorOf(foreignRoot.certificate, { vcts: typesOf('two') }),
  ];
  const parsed = parseVctSubtypes(SUPERTYPES);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  trust = trustOf(stage, { anchors, subtypes: parsed.subtypes });
  const named = (...keys: KeyObject[]) => keys.map((key) => keyIdentifier(key).toString('base64url'));
  world = {
    trusted: TRUSTED,
    supertypes: SUPERTYPES,
    authorities: { one: named(pki.intermediate.privateKey, pki.root.privateKey), two: named(foreignRoot.privateKey) },
  };
});

function issued(card: Card) {
  const { payload, disclosures } = conceal(card.claims, card);
  const { key, x5c } = signers[card.issuer] ?? { key: stage.strangerKey, x5c: [] };
  const cnf = { jwk: { ...exportPublicJwk(stage.holderKey) } };
  const registered = { iss: ISSUER, vct: card.vct, iat: NOW_SECONDS - 60, exp: NOW_SECONDS + 60, cnf };
  const header = { typ: 'dc+sd-jwt', x5c: x5c.map(base64) };
  return { jwt: signCompactJws(header, { ...(payload as JsonObject), ...registered }, key), disclosures };
}

/** A parent is sent with its children. */
function presented(
  { card, isShown, binding, confirms }: Shown,
  from: ReturnType<typeof issued>,
  data: readonly TransactionDatum[],
) {
  const isSent = (path: Path) =>
    path.every((_key, index) => {
      const above = path.slice(0, index + 1);
      return !card.isDisclosable(above) || isShown(above);
    });
  const sent = from.disclosures.filter(({ path }) => isSent(path)).map(({ encoded }) => encoded);
  const text = [from.jwt, ...sent, ''].join('~');
  if (binding === 'none') return text;
  const hashes = confirms.map((index) => sha256(data[index]?.encoded ?? ''));
  const claims = {
    ...(hashes.length > 0 ? { transaction_data_hashes: hashes } : {}),
    ...(binding === 'of another request' ? { nonce: 'n-of-another-request-of-this-verifier' } : {}),
  };
  return bind(stage, text, { claims, ...(binding === 'of another key' ? { key: stage.strangerKey } : {}) });
}

/** What the verifier makes of an answer; undefined if it refuses it. */
function verdictOf({ query, data: ids, shown }: Answer): readonly Delivery[] | undefined {
  const data = ids.map((credentialIds, index): TransactionDatum => ({ encoded: encode({ index }), credentialIds }));
  const cards = new Map(shown.map(({ card }) => [card, issued(card)]));
  const vpToken = new Map<string, string[]>();
  for (const one of shown) {
    const text = presented(one, cards.get(one.card) as ReturnType<typeof issued>, data);
    vpToken.set(one.id, [...(vpToken.get(one.id) ?? []), text]);
  }
  try {
    const expected = expectationOf(stage, { query: queryOf(query as unknown as JsonObject), trust });
    const { delivered } = verifyVpToken(Object.fromEntries(vpToken), data, expected);
    return delivered.map(({ credentialId, deliveredClaims, trust: its, holder }) => ({
      id: credentialId,
      claims: deliveredClaims,
      trusted: its.supported && its.trusted,
      isBound: holder !== undefined,
    }));
  } catch (error) {
    if (error instanceof VerificationFailure) return undefined;
    throw error;
  }
}

const NAMES = ['a', 'b', 'c', '__proto__', 'toString'];
const SCALARS = [null, true, false, 0, 1, '1', 'x', ''];
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue>(...SCALARS),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const claimsOf = () =>
  fc.dictionary(fc.constantFrom(...NAMES), tree, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

/** Chances of a run, as fractions of a hundred. */
const happens = (g: GeneratorValue, percent: number) => g(fc.nat, 99) < percent;
const oneOf = <T>(g: GeneratorValue, items: readonly T[]): T => items[g(fc.nat, items.length - 1)] as T;
const coin = (seed: number, percent: number) => (path: Path) => hashed(JSON.stringify([seed, path])) < percent * 2.56;

function cardOf(g: GeneratorValue, serial: number): Card {
  const vct = oneOf(g, TYPES);
  const isTrusted = Object.hasOwn(TRUSTED, vct) && happens(g, 93);
  const issuer = isTrusted
    ? oneOf(g, (TRUSTED as Record<string, string[]>)[vct] as string[])
    : oneOf(g, ['one', 'two', 'stranger']);
  return { serial, vct, issuer, claims: g(claimsOf), isDisclosable: coin(g(fc.nat), 60) };
}

/** Some way down into the claims, mostly. */
function pathInto(g: GeneratorValue, value: JsonValue): readonly Part[] {
  if (happens(g, 2)) return [oneOf<Part>(g, [null, 0, 'a', 'toString'])];
  if (typeof value !== 'object' || value === null) return [];
  const keys: Path = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  if (keys.length === 0) return [];
  const key = oneOf(g, keys);
  const rest = happens(g, 70) ? pathInto(g, (value as JsonObject)[key] as JsonValue) : [];
  return [Array.isArray(value) && happens(g, 50) ? null : key, ...rest];
}

function claimsAsked(g: GeneratorValue, card: Card): Pick<WireCredential, 'claims' | 'claim_sets'> {
  // A path begins with the name of a claim, which every query must.
  const found = Array.from({ length: g(fc.nat, 4) }, () => pathInto(g, card.claims));
  const paths = found.filter(([name]) => typeof name === 'string');
  const unique = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  const claims = unique.map((path, index): WireClaim => {
    const values = happens(g, 15) ? { values: SCALARS.filter((value) => value !== null && happens(g, 60)) } : {};
    return { id: `c${index}`, path, ...(values.values?.length ? values : {}) };
  });
  if (claims.length === 0) return {};
  if (happens(g, 35)) return { claims };
  const some = () => {
    const chosen = claims.filter(() => happens(g, 50)).map(({ id }) => id);
    return chosen.length > 0 ? chosen : ['c0'];
  };
  return { claims, claim_sets: Array.from({ length: 1 + g(fc.nat, 2) }, some) };
}

function credentialAsked(g: GeneratorValue, id: string, card: Card): WireCredential {
  const supertype = (SUPERTYPES as Record<string, string>)[card.vct];
  const vct = supertype !== undefined && happens(g, 50) ? supertype : happens(g, 95) ? card.vct : oneOf(g, TYPES);
  const all = Object.values(world.authorities).flat();
  const own = world.authorities[card.issuer] ?? all;
  return {
    id,
    ...{ format: 'dc+sd-jwt' },
    meta: { vct_values: happens(g, 80) ? [vct] : [vct, oneOf(g, TYPES)] },
    ...(happens(g, 40) ? { multiple: happens(g, 80) } : {}),
    ...(happens(g, 20) ? { require_cryptographic_holder_binding: happens(g, 30) } : {}),
    ...(happens(g, 15) ? { trusted_authorities: [{ type: 'aki', values: [oneOf(g, all), oneOf(g, own)] }] } : {}),
    ...claimsAsked(g, card),
  };
}

function setsAsked(g: GeneratorValue, ids: readonly string[]): Pick<WireQuery, 'credential_sets'> {
  if (happens(g, 60)) return {};
  const option = () => {
    const chosen = ids.filter(() => happens(g, 60));
    return chosen.length > 0 ? chosen : ids.slice(0, 1);
  };
  const set = () => ({
    options: Array.from({ length: 1 + g(fc.nat, 1) }, option),
    ...(happens(g, 30) ? { required: happens(g, 30) } : {}),
  });
  return { credential_sets: Array.from({ length: 1 + g(fc.nat, 1) }, set) };
}

function shownBy(
  g: GeneratorValue,
  { id, require_cryptographic_holder_binding: needed }: WireCredential,
  card: Card,
): Shown {
  const isGood = happens(g, 95);
  const right = needed === false && happens(g, 50) ? 'none' : 'right';
  const binding = isGood ? right : oneOf(g, ['none', 'of another request', 'of another key'] as const);
  return { id, card, isShown: coin(g(fc.nat), happens(g, 60) ? 100 : 70), binding, confirms: [] };
}

/** Each object is confirmed by one that may do so, mostly. */
function confirmedBy(g: GeneratorValue, shown: readonly Shown[], data: Answer['data']): Shown[] {
  const confirms = shown.map((): number[] => []);
  data.forEach((ids, index) => {
    const able = [...shown.keys()].filter((at) => happens(g, 5) || ids.includes(shown[at]?.id ?? ''));
    if (able.length > 0 && happens(g, 95)) confirms[oneOf(g, able)]?.push(index);
  });
  return shown.map((one, at) => ({ ...one, confirms: one.binding === 'none' ? [] : (confirms[at] ?? []) }));
}

function answerOf(g: GeneratorValue): Answer {
  const ids = ['p', 'q', '__proto__'].slice(0, 1 + g(fc.nat, 2));
  const cards = Array.from({ length: 1 + g(fc.nat, 2) }, (_, serial) => cardOf(g, serial));
  const pairs = ids.map((id) => {
    const card = oneOf(g, cards);
    return { card, asked: credentialAsked(g, id, card) };
  });
  const sets = setsAsked(g, ids);
  const sent = pairs.filter(() => happens(g, sets.credential_sets ? 70 : 97));
  const shown = sent.flatMap(({ card, asked }) => {
    const extra = asked.multiple && happens(g, 20) ? [shownBy(g, asked, oneOf(g, cards))] : [];
    return [shownBy(g, asked, card), ...extra];
  });
  const bindable = pairs
    .filter(({ asked }) => asked.require_cryptographic_holder_binding !== false)
    .map(({ asked }) => asked.id);
  const data =
    bindable.length > 0 && happens(g, 30) ? [bindable.filter(() => happens(g, 70)), bindable.slice(0, 1)] : [];
  const named = data.filter((names) => names.length > 0);
  return {
    query: { credentials: pairs.map(({ asked }) => asked), ...sets },
    data: named,
    shown: confirmedBy(g, shown, named),
  };
}

it('VP:J16 VP:J20 VP:F8 VP:K14 delivers what a second opinion says, and refuses every other answer', () => {
  const seen = { delivered: 0, refused: 0 };
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const answer = answerOf(g);
      const expected = expectedOf(answer, world);
      seen[expected ? 'delivered' : 'refused'] += 1;
      deepStrictEqual(verdictOf(answer), expected);
    }),
    { numRuns: 400 },
  );
  expect(Math.min(seen.delivered, seen.refused)).toBeGreaterThan(40);
});
