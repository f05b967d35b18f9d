import { createHash } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { VerificationFailure } from '@vestibule/foundation';
import fc from 'fast-check';
import { parseSdJwtVc, unpackClaims } from './index';
import { build, disclose, hash, NOW_SECONDS, type Disclosed } from './testing/sd-jwt-builder.fixture-spec';

const library = new SDJwtInstance<Record<string, unknown>>({
  hasher: (text, algorithm) =>
    createHash(algorithm.replace('-', ''))
      .update(typeof text === 'string' ? text : Buffer.from(text))
      .digest(),
  // Signatures are judged elsewhere: verify-issuer-signature.spec.ts.
  verifier: () => true,
});

/** What the package @sd-jwt/core makes of an SD-JWT; undefined where it refuses it. */
const theirs = (text: string) =>
  library.verify(text, { currentDate: NOW_SECONDS }).then(
    ({ payload }) => payload,
    () => undefined,
  );

function ours(text: string) {
  try {
    return unpackClaims(parseSdJwtVc(text)).claims;
  } catch (error) {
    expect(error).toBeInstanceOf(VerificationFailure);
    return undefined;
  }
}

type Hidden = readonly [value: Tree, isHidden: boolean];
type Tree = string | number | boolean | null | readonly Hidden[] | { readonly [name: string]: Hidden };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
  const hidden = fc.tuple(tie('tree'), fc.boolean());
  return {
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Tree>('x', '', 0, -1.5, true, null),
      fc.array(hidden, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), hidden, { maxKeys: 3, noNullPrototype: true }),
    ),
  };
});

/** The tree as an issuer writes it, with the disclosures of what is hidden. */
function conceal(value: Tree, disclosures: Disclosed[]): unknown {
  const add = (...elements: unknown[]) => {
    const disclosure = disclose(...elements);
    disclosures.push(disclosure);
    return disclosure.digest;
  };
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return (value as readonly Hidden[]).map(([item, isHidden]) => {
      const written = conceal(item, disclosures);
      return isHidden ? { '...': add(written) } : written;
    });
  }
  const digests: string[] = [];
  const plain: Record<string, unknown> = {};
  for (const [name, [item, isHidden]] of Object.entries(value as Record<string, Hidden>)) {
    const written = conceal(item, disclosures);
    if (isHidden) digests.push(add(name, written));
    else plain[name] = written;
  }
  return digests.length > 0 ? { ...plain, _sd: digests } : plain;
}

interface Written {
  readonly payload: { readonly claims: unknown; readonly _sd: string[]; readonly list: unknown[] };
  readonly disclosures: Disclosed[];
}

/** What an issuer or a holder may do, and mostly must not, with the disclosure at a position. */
const DEEDS: readonly ((written: Written, at: number) => void)[] = [
  () => undefined,
  ({ disclosures }, at) => void disclosures.splice(at, 1),
  ({ disclosures }) => void disclosures.reverse(),
  ({ disclosures }, at) => void disclosures.push(...disclosures.slice(at, at + 1)),
  ({ disclosures }) => void disclosures.push(disclose('stray', 1)),
  ({ payload, disclosures }, at) => void payload._sd.push(...disclosures.slice(at, at + 1).map(({ digest }) => digest)),
  ({ payload, disclosures }, at) => void payload.list.push({ '...': disclosures[at]?.digest ?? 'none' }),
  ({ payload, disclosures }, at) => void payload.list.push({ '...': disclosures[at]?.digest ?? 'none', a: 1 }),
  ({ payload }) => void payload._sd.push(hash('decoy')),
  ...['claims', 'vct', '_sd', '...', 'new'].map((name) => ({ payload, disclosures }: Written) => {
    const disclosure = disclose(name, ['x']);
    disclosures.push(disclosure);
    payload._sd.push(disclosure.digest);
  }),
];

it('VP:K8 VP:K11 VP:K12 VP:K13 VP:K14 says what the package @sd-jwt/core says of whatever it accepts, and that accepts it', async () => {
  const seen = { accepted: 0, refused: 0 };
  const deeds = fc.array(fc.tuple(fc.constantFrom(...DEEDS), fc.nat(4)), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(tree, deeds, async (value, done) => {
      const disclosures: Disclosed[] = [];
      const written: Written = { payload: { claims: conceal(value, disclosures), _sd: [], list: [] }, disclosures };
      for (const [deed, at] of done) deed(written, at);
      const text = build(written);
      const claims = ours(text);
      seen[claims ? 'accepted' : 'refused'] += 1;
      if (claims) expect(claims).toEqual(await theirs(text));
    }),
    { numRuns: 400 },
  );
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(50);
});
