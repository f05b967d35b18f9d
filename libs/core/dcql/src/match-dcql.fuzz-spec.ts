import type { IssuedJsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import { matchDcql, parseDcqlQuery, resolveClaimPath, type ClaimPath, type PresentedCredential } from './index';

/** The wire form of a query, as far as it decides: the reference model reads this and not the typed view. */
interface WireClaim {
  id: string;
  path: (string | number | null)[];
  values?: unknown[];
}
interface WireCredential {
  id: string;
  format: string;
  meta: { vct_values: string[] };
  multiple?: boolean;
  trusted_authorities?: { type: string; values: string[] }[];
  claims?: WireClaim[];
  claim_sets?: string[][];
}
interface WireQuery {
  credentials: WireCredential[];
  credential_sets?: { required?: boolean; options: string[][] }[];
}
type Answer = Map<string, PresentedCredential[]>;

/** OpenID4VP 1.0 §7.1.1 as a definition: every element that the path reaches, 'error' if any step meets a wrong type. */
function reach(value: unknown, path: ClaimPath): unknown[] | 'error' {
  if (path.length === 0) return [value];
  const [part, ...rest] = path;
  const steps =
    typeof part === 'string'
      ? Object.prototype.toString.call(value) === '[object Object]' &&
        Object.entries(value as object)
          .filter(([name]) => name === part)
          .map(([, item]) => item as unknown)
      : Array.isArray(value) && value.filter((item, index) => item !== undefined && (part === null || part === index));
  if (steps === false) return 'error';
  const ends = steps.map((step) => reach(step, rest));
  return ends.some((end) => end === 'error') ? 'error' : ends.flat(1);
}

function claimHolds(claim: WireClaim, credential: PresentedCredential): boolean {
  const found = reach(credential.claims, claim.path);
  if (found === 'error' || found.length === 0) return false;
  const values = claim.values;
  return values === undefined || found.some((item) => values.some((value) => Object.is(value, item)));
}

function credentialHolds(query: WireCredential, credential: PresentedCredential): boolean {
  if (!query.meta.vct_values.includes(credential.vct)) return false;
  const authorities = query.trusted_authorities ?? [];
  const wanted = authorities.flatMap((authority) => authority.values);
  if (authorities.length > 0 && !wanted.some((key) => credential.authorityKeyIdentifiers.includes(key))) return false;
  if (!query.claims) return true;
  const held = query.claims.filter((claim) => claimHolds(claim, credential)).map((claim) => claim.id);
  const options = query.claim_sets ?? [query.claims.map((claim) => claim.id)];
  return options.some((option) => option.every((id) => held.includes(id)));
}

function answerHolds(query: WireQuery, answer: Answer): boolean {
  const everyEntryHolds = [...answer].every(([id, credentials]) => {
    const entry = query.credentials.find((item) => item.id === id);
    if (!entry || credentials.length === 0 || (credentials.length > 1 && entry.multiple !== true)) return false;
    return credentials.every((credential) => credentialHolds(entry, credential));
  });
  const everything = [{ options: [query.credentials.map((item) => item.id)] }];
  const needed = (query.credential_sets ?? everything).filter((set) => !('required' in set) || set.required !== false);
  return everyEntryHolds && needed.every((set) => set.options.some((option) => option.every((id) => answer.has(id))));
}

const NAMES = ['a', 'b', 'toString', '__proto__', 'length'];
const SCALARS = [null, true, false, 0, 1, '1', 'true', ''];
const { tree: claimValue } = fc.letrec<{ tree: IssuedJsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<IssuedJsonValue>(...SCALARS),
    fc.array(fc.option(tie('tree'), { nil: undefined, freq: 4 }), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('tree'), { maxKeys: 3 }),
  ),
}));
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b') }, fc.constantFrom(...NAMES));
const part = fc.oneof({ weight: 3, arbitrary: name }, fc.constantFrom<string | number | null>(null, 0, 1));
const path = fc.tuple(name, fc.array(part, { maxLength: 2 })).map(([first, rest]) => [first, ...rest]);
const some = <T>(items: readonly T[]) => fc.subarray([...items], { minLength: 1 });
const sometimes = <K extends string, T>(name: K, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((item) => (item === undefined ? {} : { [name]: item }));

const claims = fc
  .uniqueArray(path, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) })
  .chain((paths) =>
    fc.tuple(
      ...paths.map((item, i) =>
        sometimes('values', some([0, 1, '1', true, ''])).map((rest) => ({ id: `c${i}`, path: item, ...rest })),
      ),
    ),
  );
const claimMembers = claims.chain((list) =>
  sometimes('claim_sets', fc.array(some(list.map((claim) => claim.id)), { minLength: 1, maxLength: 3 })).map(
    (sets) => ({ claims: list, ...sets }),
  ),
);
const credentialQuery = (id: string) =>
  fc
    .tuple(
      some(['v', 'w']),
      sometimes('multiple', fc.boolean()),
      sometimes(
        'trusted_authorities',
        fc.array(
          some(['AAEC', 'AwQF']).map((values) => ({ type: 'aki', values })),
          { minLength: 1, maxLength: 2 },
        ),
      ),
      fc.oneof({ weight: 4, arbitrary: claimMembers }, fc.constant({})),
    )
    .map(
      ([vct_values, ...rest]) =>
        Object.assign({ id, format: 'dc+sd-jwt', meta: { vct_values } }, ...rest) as WireCredential,
    );
const IDS = ['p', 'q', '__proto__'];
const wireQuery = some(IDS).chain((ids) =>
  fc
    .tuple(
      fc.tuple(...ids.map(credentialQuery)),
      sometimes(
        'credential_sets',
        fc.array(
          fc
            .tuple(fc.array(some(ids), { minLength: 1, maxLength: 2 }), sometimes('required', fc.boolean()))
            .map(([options, rest]) => ({ options, ...rest })),
          { minLength: 1, maxLength: 2 },
        ),
      ),
    )
    .map(([credentials, sets]): WireQuery => ({ credentials, ...sets })),
);

const presentedCredential = fc.record({
  vct: fc.constantFrom('v', 'v', 'v', 'w', 'V'),
  claims: fc.dictionary(fc.constantFrom('a', 'b', ...NAMES), claimValue, { minKeys: 1, maxKeys: 4 }),
  authorityKeyIdentifiers: fc.subarray(['AAEC', 'AwQF', '_____w']),
});
const answer = fc
  .dictionary(fc.constantFrom(...IDS, 'x'), fc.array(presentedCredential, { maxLength: 2 }), { noNullPrototype: true })
  .map((entries): Answer => new Map(Object.entries(entries)));

describe('matchDcql against a reference model', () => {
  it('VP:J5 VP:J7 VP:J10 VP:J11 VP:J13 VP:J14 VP:J20 agrees on every query and answer', () => {
    const seen = { satisfied: 0, refused: 0 };
    fc.assert(
      fc.property(wireQuery, answer, (wire, entries) => {
        const parsed = parseDcqlQuery(wire);
        if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
        // Answers of strangers rarely fit: keep the asked-for ids in half of the runs.
        const fitting = new Map(
          [...entries].filter(([id, list]) => list.length === 1 && wire.credentials.some((c) => c.id === id)),
        );
        for (const candidate of [entries, fitting]) {
          let code = 'satisfied';
          try {
            matchDcql(parsed.query, candidate);
          } catch (error) {
            code = (error as { code: string }).code;
          }
          seen[code === 'satisfied' ? 'satisfied' : 'refused'] += 1;
          expect([code === 'satisfied', code]).toEqual([answerHolds(wire, candidate), code]);
        }
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(seen.satisfied, seen.refused)).toBeGreaterThan(100);
  });

  it('VP:J8 the claims path pointer selects what its definition selects', () => {
    fc.assert(
      fc.property(
        claimValue,
        fc.array(fc.constantFrom<string | number | null>(...NAMES, null, 0, 1), { maxLength: 4 }),
        (root, parts) => {
          const expected = reach(root, parts);
          expect(resolveClaimPath(root, parts)).toEqual(expected === 'error' ? [] : expected);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
