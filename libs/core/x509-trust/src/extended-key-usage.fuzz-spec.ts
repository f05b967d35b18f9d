import type { KeyObject } from 'node:crypto';
import fc from 'fast-check';
import {
  createCertificateAuthority,
  createPrivateKeyOf,
  type Authority,
  type IssueOptions,
  type RawExtension,
} from '@vestibule/dev-pki';
import { der } from './crl.fixture-spec';
import { createChainVerifier, parseCertificate, PURPOSES, X509_FAILURES, type Purpose } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const SEED = 42_112;
const RUNS = 150;

/** Content octets of an OBJECT IDENTIFIER (X.690 §8.19), written from the text and not with the library under test. */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left % 128) + 128);
    return groups;
  });
  return der(0x06, Buffer.from(octets));
}

const ANY = '2.5.29.37.0';
/**
 * The rule, written from RFC 5280 §4.2.1.12 and docs/trust.md: what a certificate may be restricted to for a purpose. It
 * shares nothing with the table of the product.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  credential: ['1.0.18013.5.1.2', '1.3.130.2.0.0.1.2', '1.3.130.2.0.0.1.7'],
  status: ['1.0.18013.5.1.2', '1.3.130.2.0.0.1.2', '1.3.130.2.0.0.1.7'],
  wallet_attestation: [],
  key_attestation: [],
  access: ['1.0.18013.5.1.6', '1.3.130.2.0.0.1.6'],
  metadata: [],
};
const NAMES = [
  ANY,
  '1.0.18013.5.1.2',
  '1.0.18013.5.1.6',
  '1.3.130.2.0.0.1.2',
  '1.3.130.2.0.0.1.6',
  '1.3.130.2.0.0.1.7',
  ...[1, 2, 3, 4, 8, 9, 17].map((arc) => `1.3.6.1.5.5.7.3.${arc}`),
  // Beside the ones that count: shorter, longer, a neighbour, the extension itself, the other arc.
  '2.5.29.37',
  '2.5.29.37.0.0',
  '2.5.29.37.1',
  '1.0.18013.5.1',
  '1.0.18013.5.1.2.0',
  '1.0.18013.5.1.3',
  '1.0.23220.4.1.2',
  '1.0.18013.5.1.130',
];

/** The extension of one certificate; undefined: it has none. */
interface Usage {
  readonly critical: boolean;
  readonly names: readonly string[];
}
type MaybeUsage = Usage | undefined;

const anyName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  {
    weight: 1,
    arbitrary: fc.array(fc.nat({ max: 70_000 }), { minLength: 1, maxLength: 6 }).map((arcs) => `1.3.${arcs.join('.')}`),
  },
);
const usage = fc.record({ critical: fc.boolean(), names: fc.array(anyName, { maxLength: 5 }) });
/** Often what passes, so that whole chains pass and single certificates decide. */
const passing = fc.record({
  critical: fc.boolean(),
  names: fc.shuffledSubarray([ANY, '1.0.18013.5.1.2', '1.0.18013.5.1.6', '1.3.6.1.5.5.7.3.1'], { minLength: 1 }),
});
const maybeUsage: fc.Arbitrary<MaybeUsage> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: passing },
  { weight: 2, arbitrary: usage },
);
const scenario = fc.record({
  /** The leaf first, then the authorities in `x5c`. */
  chain: fc.array(maybeUsage, { minLength: 1, maxLength: 4 }),
  anchor: maybeUsage,
  anchorPurposes: fc.shuffledSubarray([...PURPOSES], { minLength: 1 }),
  purpose: fc.constantFrom(...PURPOSES),
});
interface Scenario {
  readonly chain: readonly MaybeUsage[];
  readonly anchor: MaybeUsage;
  readonly anchorPurposes: readonly Purpose[];
  readonly purpose: Purpose;
}

let keys: KeyObject[];
beforeAll(() => (keys = Array.from({ length: 5 }, () => createPrivateKeyOf('P-256'))));

function extensionOf(restricted: MaybeUsage): { extensions?: readonly RawExtension[] } {
  if (!restricted) return {};
  const { critical, names } = restricted;
  return { extensions: [{ oid: '2.5.29.37', critical, value: der(0x30, ...names.map(oid)) }] };
}

async function build({ chain, anchor }: Scenario) {
  const optionsOf = (name: string, at: number, restricted: MaybeUsage): IssueOptions => ({
    name,
    privateKey: keys[at] as KeyObject,
    ...extensionOf(restricted),
  });
  const root = await createCertificateAuthority({ ...optionsOf('Root', 4, anchor), now });
  const x5c: string[] = [];
  let above: Authority = root;
  for (let at = chain.length - 1; at > 0; at -= 1) {
    above = await above.issueAuthority(optionsOf(`CA ${at}`, at, chain[at]));
    x5c.unshift(above.certificate.toString('base64'));
  }
  const leaf = await above.issue(optionsOf('Leaf', 0, chain[0]));
  return { root, x5c: [leaf.certificate.toString('base64'), ...x5c] };
}

/** RFC 5280 §4.2.1.12: a certificate with the extension "MUST only be used for one of the purposes indicated". */
function mayServe(restricted: MaybeUsage, purpose: string): boolean {
  if (restricted === undefined) return true;
  for (const name of restricted.names) {
    if (name === ANY) return true;
    for (const allowed of ALLOWED[purpose] ?? []) if (name === allowed) return true;
  }
  return false;
}

function oracle({ chain, anchor, anchorPurposes, purpose }: Scenario) {
  const isInScope = anchorPurposes.includes(purpose);
  const path = isInScope ? [...chain, anchor] : chain;
  const mayAll = path.every((restricted) => mayServe(restricted, purpose));
  return { mayAll, outcome: mayAll ? (isInScope ? 'anchored' : 'unanchored') : 'extended_key_usage_not_allowed' };
}

function outcomeOf(judge: () => { readonly anchor: unknown }): string {
  try {
    return judge().anchor ? 'anchored' : 'unanchored';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined || !(code in X509_FAILURES)) throw error;
    return code;
  }
}

describe('VP:N8 extended key usage, against an oracle of its own', () => {
  it('says for every chain, purpose and anchor what the rule says, remembered or not, enforced or reported', async () => {
    const seen = { anchored: 0, unanchored: 0, extended_key_usage_not_allowed: 0 };
    const property = fc.asyncProperty(scenario, async (given: Scenario) => {
      const { root, x5c } = await build(given);
      const anchors = [{ certificate: parseCertificate(root.certificate), purposes: given.anchorPurposes }];
      const { mayAll, outcome } = oracle(given);
      const context = { now, purpose: given.purpose };
      const enforcing = createChainVerifier(anchors, { maxEntries: 4 });
      // Another purpose first: what is remembered of it must not decide.
      outcomeOf(() =>
        enforcing.verify(x5c, { now, purpose: PURPOSES[given.chain.length % PURPOSES.length] as Purpose }),
      );
      for (let round = 0; round < 2; round += 1) {
        expect(outcomeOf(() => enforcing.verify(x5c, context))).toBe(outcome);
      }
      const reporting = createChainVerifier(anchors, { maxEntries: 4, extendedKeyUsage: 'report' });
      const { anchor, isForPurpose } = reporting.verify(x5c, context);
      expect([anchor !== undefined, isForPurpose]).toEqual([given.anchorPurposes.includes(given.purpose), mayAll]);
      seen[outcome as keyof typeof seen] += 1;
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
    // The runs are worth something: each outcome came up often.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RUNS / 20);
  });
});
