import { DomainError } from '@vestibule/foundation';
import fc from 'fast-check';
import {
  applyTrustPolicy,
  createChainVerifier,
  issuerBindingOf,
  listedCertificate,
  parseCertificate,
  TRUST_POLICIES,
  verifyIssuerBinding,
  type Certificate,
  type IssuerBinding,
  type Purpose,
  type TrustAnchor,
  type TrustPolicy,
} from './index';
import { drawCertificates, ISSUER, NOW, type Drawn } from './trust-decision.fixture-spec';

const TYPES = ['urn:a', 'urn:b'] as const;
type Type = (typeof TYPES)[number];
const RUNS = 500;
const SEED = 61_107;

/** An entry of the trust file, or of a list of trusted entities. */
interface Entry {
  readonly certificate: Drawn;
  readonly purposes: readonly Purpose[];
  readonly vcts: readonly Type[] | undefined;
  readonly issuerBinding: IssuerBinding | undefined;
  readonly list: string | undefined;
}

interface Case {
  readonly chain: readonly Drawn[];
  /** Those of the file come first. */
  readonly entries: readonly Entry[];
  readonly policy: TrustPolicy;
  readonly binding: IssuerBinding | undefined;
  readonly onlyReportsUsage: boolean;
  readonly vct: Type;
  readonly iss: string | undefined;
}

type Verdict = 'refused' | 'untrusted' | { readonly trustedBy: Drawn };

/** Whose key it is, and under which name. */
const isSame = (one: Drawn, other: Drawn) => one.subject === other.subject && one.key === other.key;
const certified = (upper: Drawn, lower: Drawn) => lower.issuer === upper.subject && lower.signedBy === upper.key;
const isValid = ({ oddity }: Drawn) => oddity !== 'expired' && oddity !== 'early';
const isUnderstood = ({ oddity }: Drawn) => oddity !== 'constrained' && oddity !== 'critical extension';
const mayCertify = ({ isAuthority, oddity }: Drawn) =>
  isAuthority && oddity !== 'no authority' && oddity !== 'not for certificates';
const maySign = ({ oddity }: Drawn) => oddity !== 'not for certificates';

function isLongEnough({ oddity }: Drawn, below: readonly Drawn[]): boolean {
  const most = oddity === 'path length 0' ? 0 : oddity === 'path length 1' ? 1 : Infinity;
  return below.slice(1).filter(({ subject, issuer }) => subject !== issuer).length <= most;
}

/** RFC 5280 §6.1 with RFC 7515 §4.1.6 and HAIP 1.0 §6.1.1, without an anchor. */
function isPath(chain: readonly Drawn[]): boolean {
  const [leaf, ...above] = chain;
  return (
    leaf !== undefined &&
    chain.length <= 4 &&
    maySign(leaf) &&
    chain.every((one) => isValid(one) && isUnderstood(one) && one.key !== one.signedBy) &&
    above.every((one, index) => {
      const below = chain.slice(0, index + 1);
      const [last] = below.slice(-1);
      return last !== undefined && certified(one, last) && mayCertify(one) && isLongEnough(one, below);
    })
  );
}

/** What docs/trust.md says, for one credential. */
class Model {
  constructor(private readonly given: Case) {}

  verdict(): Verdict {
    const { chain, binding } = this.given;
    const [leaf] = chain;
    if (!leaf || !isPath(chain) || chain.some((one) => this.isForOthers(one)) || this.sendsAnchor(leaf))
      return 'refused';
    const candidates = this.candidates();
    const found = candidates.find(({ entry, below }) => this.isUsable(entry, below))?.entry ?? this.listed(leaf);
    if (!found) return candidates.length > 0 ? 'refused' : this.unanchored();
    const isBound = this.isBound(found.issuerBinding ?? binding ?? { policy: 'san' });
    return isBound ? { trustedBy: found.certificate } : 'refused';
  }

  private unanchored(): Verdict {
    const { policy, entries, binding } = this.given;
    const needsAnchor = policy === 'enforce' || (policy === 'auto' && entries.some((entry) => this.isInScope(entry)));
    return !needsAnchor && this.isBound(binding ?? { policy: 'none' }) ? 'untrusted' : 'refused';
  }

  private isForOthers({ oddity }: Drawn): boolean {
    return oddity === 'for TLS servers' && !this.given.onlyReportsUsage;
  }

  private isInScope({ purposes, vcts }: Entry): boolean {
    return purposes.includes('credential') && (vcts === undefined || vcts.includes(this.given.vct));
  }

  private isBound(binding: IssuerBinding): boolean {
    const { iss, chain } = this.given;
    if (binding.policy === 'none') return true;
    if (binding.policy === 'san') return iss === undefined || iss === ISSUER;
    return binding.issuers.includes(iss ?? `CN=${chain[0]?.subject}`);
  }

  /** Authorities in scope; a list names anything else as a signer. */
  private authorities(): readonly Entry[] {
    return this.given.entries.filter((entry) => entry.certificate.isAuthority && this.isInScope(entry));
  }

  private listed(leaf: Drawn): Entry | undefined {
    return this.given.entries.find(
      (entry) => !entry.certificate.isAuthority && entry.certificate === leaf && this.isInScope(entry),
    );
  }

  /** Some configured anchor, whatever it is for, certified the last certificate. */
  private isAnchored(): boolean {
    const [last] = this.given.chain.slice(-1);
    return this.given.entries.some(
      ({ certificate }) => certificate.isAuthority && last !== undefined && certified(certificate, last),
    );
  }

  private sendsAnchor(leaf: Drawn): boolean {
    const sent = this.authorities().filter(({ certificate }) => this.given.chain.includes(certificate));
    if (sent.some(({ certificate }) => certificate === leaf)) return true;
    return sent.length > 0 && !this.isAnchored() && !this.listed(leaf);
  }

  /** Who may vouch, from the leaf upwards, with what lies below. */
  private candidates(): { readonly entry: Entry; readonly below: readonly Drawn[] }[] {
    const { chain } = this.given;
    if (!this.isAnchored()) return [];
    return [...chain.keys()].flatMap((index) => {
      const below = chain.slice(0, index + 1);
      const [lower, upper] = [chain[index], chain[index + 1]];
      return this.authorities()
        .filter(({ certificate }) => (upper ? isSame(certificate, upper) : lower && certified(certificate, lower)))
        .filter(({ list }) => list !== undefined || below.every((one, place) => !this.forbids(one, place)))
        .map((entry) => ({ entry, below }));
    });
  }

  /** True where the operator's own file does not let an anchor above vouch for what lies below a certificate, or for itself. */
  private forbids(one: Drawn, place: number): boolean {
    const restricted = this.given.entries.filter(
      ({ list, purposes, vcts, issuerBinding }) =>
        list === undefined && purposes.includes('credential') && (vcts ?? issuerBinding) !== undefined,
    );
    if (place > 0 && restricted.some(({ certificate }) => isSame(certificate, one))) return true;
    const entries = restricted.filter(({ certificate: { key, subject, issuer } }) => {
      const isNextKey = one.isAuthority && subject !== issuer && one.subject === subject && one.issuer === issuer;
      return key === one.key || isNextKey;
    });
    const first = entries.find((entry) => this.isInScope(entry));
    return entries.length > 0 && (!first || first.issuerBinding !== undefined);
  }

  private isUsable({ certificate }: Entry, below: readonly Drawn[]): boolean {
    return isValid(certificate) && isLongEnough(certificate, below) && !this.isForOthers(certificate);
  }
}

/** What the product says. */
function decide(given: Case, read: (drawn: Drawn) => Certificate): Verdict {
  const { chain, entries, policy, binding, vct, iss, onlyReportsUsage } = given;
  const anchors = entries.map(({ certificate, purposes, vcts, issuerBinding, list }): TrustAnchor => ({
    ...(list === undefined ? { certificate: read(certificate) } : listedCertificate(read(certificate))),
    purposes,
    ...(vcts ? { vcts } : {}),
    ...(issuerBinding ? { issuerBinding } : {}),
    ...(list === undefined ? {} : { list, entity: list }),
  }));
  const extendedKeyUsage = onlyReportsUsage ? 'report' : 'enforce';
  const chains = createChainVerifier(anchors, { maxEntries: 2, skewSeconds: 60, extendedKeyUsage });
  const scope = { purpose: 'credential', vct } as const;
  try {
    const verified = chains.verify(
      chain.map(({ bytes }) => bytes.toString('base64')),
      { now: NOW, ...scope },
    );
    const isTrusted = applyTrustPolicy(verified, { policy, anchors, ...scope });
    verifyIssuerBinding(iss, verified.leaf, issuerBindingOf(verified, binding));
    const entry = entries[anchors.findIndex((anchor) => anchor === verified.anchor)];
    return isTrusted && entry ? { trustedBy: entry.certificate } : 'untrusted';
  } catch (error) {
    if (error instanceof DomainError) return 'refused';
    throw error;
  }
}

/** A walk from a leaf upwards, mostly to who certified the one before; sometimes with a certificate too many or too few. */
function chainsOf(drawn: readonly Drawn[]): fc.Arbitrary<readonly Drawn[]> {
  const leaves = drawn.filter(({ isAuthority }) => !isAuthority);
  const leaf = fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...leaves) }, fc.constantFrom(...drawn));
  const steps = fc.array(fc.nat(), { maxLength: 3 });
  const change = fc.oneof(
    { weight: 12, arbitrary: fc.constant((chain: readonly Drawn[]) => chain) },
    fc.constant((chain: readonly Drawn[]) => [...chain.slice(0, 1), ...chain.slice(2)]),
    fc.constant((chain: readonly Drawn[]) => [...chain, ...chain.slice(-1)]),
    fc.constant((chain: readonly Drawn[]) => [...chain.slice(0, 1), ...chain.slice(1).reverse()]),
  );
  return fc.tuple(leaf, steps, change).map(([first, turns, changed]) => {
    const chain = [first];
    for (const turn of turns) {
      const last = chain.at(-1) ?? first;
      const above = drawn.filter((one) => certified(one, last) && one.isAuthority && one.key !== one.signedBy);
      const sound = above.filter(({ oddity }) => oddity === undefined);
      const from = turn % 5 === 0 ? above : sound;
      const next = from[turn % Math.max(from.length, 1)];
      if (next) chain.push(next);
    }
    return changed(chain);
  });
}

const bindings = fc.constantFrom<(IssuerBinding | undefined)[]>(
  ...[undefined, undefined, undefined, { policy: 'san' as const }, { policy: 'none' as const }],
  { policy: 'allowlist', issuers: [ISSUER] },
  { policy: 'allowlist', issuers: ['https://other.example', 'CN=Issuer'] },
);

function casesOf(drawn: readonly Drawn[]): fc.Arbitrary<Case> {
  const authorities = drawn.filter((one) => mayCertify(one) && isUnderstood(one));
  const signers = drawn.filter(
    (one) => !one.isAuthority && one.key !== one.signedBy && isUnderstood(one) && maySign(one),
  );
  const vcts = fc.constantFrom<(readonly Type[] | undefined)[]>(undefined, undefined, ['urn:a'], ['urn:b'], TYPES);
  const purposes = fc.constantFrom<(readonly Purpose[])[]>(
    ['credential', 'status'],
    ['credential', 'status'],
    ['status'],
  );
  const entry = { purposes, vcts, issuerBinding: bindings };
  const filed = fc.record({ ...entry, certificate: fc.constantFrom(...authorities), list: fc.constant(undefined) });
  const certificate = fc.constantFrom(...authorities, ...signers);
  const listed = fc.record({ ...entry, certificate, list: fc.constantFrom('one', 'two') });
  return fc.record({
    chain: chainsOf(drawn),
    entries: fc
      .tuple(fc.array(filed, { maxLength: 4 }), fc.oneof(fc.constant([]), fc.array(listed, { maxLength: 2 })))
      .map((all) => all.flat()),
    policy: fc.constantFrom(...TRUST_POLICIES),
    binding: bindings,
    onlyReportsUsage: fc.nat({ max: 4 }).map((turn) => turn === 0),
    vct: fc.constantFrom(...TYPES),
    iss: fc.constantFrom(ISSUER, ISSUER, ISSUER, undefined, 'https://other.example'),
  });
}

describe('VP:N3 VP:N4 VP:N5 VP:N6 VP:N7 VP:N8 VP:N12 VP:Q3 whether a credential is trusted', () => {
  it('is what the trust file says, whatever authorities certified each other and whatever the sender sends of that', async () => {
    const drawn = await drawCertificates();
    const certificates = new Map(drawn.map((one) => [one, parseCertificate(one.bytes)]));
    const read = (one: Drawn) => certificates.get(one) ?? parseCertificate(one.bytes);
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(casesOf(drawn), (given) => {
        const verdict = new Model(given).verdict();
        expect(decide(given, read)).toEqual(verdict);
        const kind = typeof verdict === 'string' ? verdict : 'trusted';
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    for (const kind of ['refused', 'untrusted', 'trusted']) expect(seen.get(kind)).toBeGreaterThan(RUNS / 20);
  });
});
