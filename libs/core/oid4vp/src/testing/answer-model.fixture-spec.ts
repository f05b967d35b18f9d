import type { JsonObject, JsonValue } from '@vestibule/foundation';

/**
 * What must become of an answer, as plain as possible: a second opinion that shares no code with the verifier. It reads
 * the query as it is sent, and the credentials as they were before anything in them was concealed.
 */
export type Path = readonly (string | number)[];
export type Part = string | number | null;

export interface WireClaim {
  readonly id: string;
  readonly path: readonly Part[];
  readonly values?: readonly unknown[];
}
export interface WireCredential {
  readonly id: string;
  readonly meta: { readonly vct_values: readonly string[] };
  readonly multiple?: boolean;
  readonly require_cryptographic_holder_binding?: boolean;
  readonly trusted_authorities?: readonly { readonly type: string; readonly values: readonly string[] }[];
  readonly claims?: readonly WireClaim[];
  readonly claim_sets?: readonly (readonly string[])[];
}
export interface WireQuery {
  readonly credentials: readonly WireCredential[];
  readonly credential_sets?: readonly {
    readonly required?: boolean;
    readonly options: readonly (readonly string[])[];
  }[];
}

/** A credential, and which of its claims can be withheld. */
export interface Card {
  /** The same for the same credential. */
  readonly serial: number;
  readonly vct: string;
  readonly issuer: string;
  readonly claims: JsonObject;
  readonly isDisclosable: (path: Path) => boolean;
}
/** How a wallet presents it. */
export interface Shown {
  readonly id: string;
  readonly card: Card;
  readonly isShown: (path: Path) => boolean;
  readonly binding: 'right' | 'none' | 'of another request' | 'of another key';
  /** Positions in the transaction data of the request. */
  readonly confirms: readonly number[];
}
/** Who is trusted for what: for a type that is not here, nobody is, and everybody is taken. */
export interface World {
  readonly trusted: Readonly<Record<string, readonly string[]>>;
  readonly supertypes: Readonly<Record<string, string>>;
  readonly authorities: Readonly<Record<string, readonly string[]>>;
}
export interface Answer {
  readonly query: WireQuery;
  /** `credential_ids` of each transaction data object. */
  readonly data: readonly (readonly string[])[];
  readonly shown: readonly Shown[];
}

/** What the backend must get of one presentation. */
export interface Delivery {
  readonly id: string;
  readonly claims: JsonValue;
  readonly trusted: boolean;
  readonly isBound: boolean;
}

const isContainer = (value: unknown): value is JsonObject | JsonValue[] => typeof value === 'object' && value !== null;

/** A copy of what `keep` says, with holes in arrays. */
function part(value: JsonValue, keep: (path: Path) => boolean, place: Path = []): JsonValue {
  if (!isContainer(value)) return value;
  const keys: Path = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const kept = keys.map((key) => {
    const here = [...place, key];
    return [key, keep(here) ? part((value as JsonObject)[key] as JsonValue, keep, here) : undefined] as const;
  });
  if (Array.isArray(value)) return kept.map(([, item]) => item as JsonValue);
  return Object.fromEntries(kept.filter(([, item]) => item !== undefined)) as JsonObject;
}

const withoutHoles = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.filter((item) => item !== undefined).map(withoutHoles);
  if (!isContainer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutHoles(item)]));
};

/** Where a path leads (OpenID4VP 1.0 §7.1.1), or undefined where a part of it meets a wrong type. */
function placesOf(value: JsonValue, path: readonly Part[], place: Path = []): Path[] | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return [place];
  if (!isContainer(value) || (typeof first === 'string') === Array.isArray(value)) return undefined;
  const keys: Path = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const found = keys
    .filter((key) => (first === null || key === first) && (value as JsonObject)[key] !== undefined)
    .map((key) => placesOf((value as JsonObject)[key] as JsonValue, rest, [...place, key]));
  return found.includes(undefined) ? undefined : (found.flat() as Path[]);
}

const at = (value: JsonValue, place: Path): JsonValue =>
  place.reduce<JsonValue>((parent, key) => (parent as JsonObject)[key] as JsonValue, value);

const visibleOf = ({ card, isShown }: Shown): JsonValue =>
  part(card.claims, (path) => !card.isDisclosable(path) || isShown(path));

function holds(claim: WireClaim, visible: JsonValue): boolean {
  const places = placesOf(visible, claim.path) ?? [];
  const { values } = claim;
  return places.some((place) => values === undefined || values.some((value) => Object.is(value, at(visible, place))));
}

/** The first combination that is there as a whole; undefined for none. */
function chosenClaims(
  { claims = [], claim_sets: sets }: WireCredential,
  visible: JsonValue,
): readonly WireClaim[] | undefined {
  const options = sets?.map((set) => set.map((id) => claims.find((claim) => claim.id === id) as WireClaim)) ?? [claims];
  return options.find((option) => option.every((claim) => holds(claim, visible)));
}

const isTrusted = ({ vct, issuer }: Card, { trusted }: World): boolean => trusted[vct]?.includes(issuer) ?? false;

function isOfType({ meta: { vct_values: wanted } }: WireCredential, card: Card, world: World): boolean {
  if (world.trusted[card.vct] && !isTrusted(card, world)) return false;
  if (wanted.includes(card.vct)) return true;
  return wanted.includes(world.supertypes[card.vct] ?? '') && isTrusted(card, world);
}

function isOfAuthority({ trusted_authorities: wanted }: WireCredential, card: Card, world: World): boolean {
  if (!wanted) return true;
  const own = isTrusted(card, world) ? (world.authorities[card.issuer] ?? []) : [];
  return wanted.some(({ values }) => values.some((value) => own.includes(value)));
}

const needsBinding = (query: WireCredential): boolean => query.require_cryptographic_holder_binding !== false;

function isBoundRightly(query: WireCredential, { binding, confirms, id }: Shown, data: Answer['data']): boolean {
  if (binding === 'none') return !needsBinding(query);
  const mayConfirm = needsBinding(query) || confirms.length === 0;
  return binding === 'right' && mayConfirm && confirms.every((index) => data[index]?.includes(id));
}

const begins = (path: Path, start: Path): boolean => start.every((key, index) => path[index] === key);

function deliveryOf(query: WireCredential, shown: Shown, world: World): Delivery {
  const { card, isShown } = shown;
  const visible = visibleOf(shown);
  const asked = (chosenClaims(query, visible) ?? []).flatMap(({ path }) => placesOf(visible, path) ?? []);
  const isAsked = (path: Path) => asked.some((place) => begins(place, path) || begins(path, place));
  const claims = part(card.claims, (path) => !card.isDisclosable(path) || (isShown(path) && isAsked(path)));
  return { id: shown.id, claims: withoutHoles(claims), trusted: isTrusted(card, world), isBound: needsBinding(query) };
}

const isRepeated = (shown: readonly Shown[]): boolean =>
  shown.some((one, index) =>
    shown.slice(0, index).some(({ id, card }) => id === one.id && card.serial === one.card.serial),
  );

/** What must be delivered, in the order of the answer; undefined if the answer must be refused. */
export function expectedOf({ query, data, shown }: Answer, world: World): readonly Delivery[] | undefined {
  const queryOf = (id: string) => query.credentials.find((one) => one.id === id);
  const isGood = (one: Shown): boolean => {
    const its = queryOf(one.id);
    if (!its || !isBoundRightly(its, one, data)) return false;
    const isOnly = shown.filter(({ id }) => id === one.id).length === 1 || its.multiple === true;
    return (
      isOnly &&
      isOfType(its, one.card, world) &&
      isOfAuthority(its, one.card, world) &&
      chosenClaims(its, visibleOf(one)) !== undefined
    );
  };
  const confirmed = shown.flatMap(({ confirms, binding }) => (binding === 'right' ? confirms : []));
  const isConfirmed = data.every((_ids, index) => confirmed.filter((position) => position === index).length === 1);
  if (!shown.every(isGood) || isRepeated(shown) || !isConfirmed) return undefined;
  const isThere = (option: readonly string[]) => option.every((id) => shown.some((one) => one.id === id));
  const sets = query.credential_sets ?? [{ options: [query.credentials.map(({ id }) => id)] }];
  if (!sets.every(({ required, options }) => required === false || options.some(isThere))) return undefined;
  const asked = sets.flatMap(({ options }) => options.filter(isThere)).flat();
  return shown
    .filter(({ id, confirms }) => asked.includes(id) || confirms.length > 0)
    .map((one) => deliveryOf(queryOf(one.id) as WireCredential, one, world));
}
