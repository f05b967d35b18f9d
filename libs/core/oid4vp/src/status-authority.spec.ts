import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import { createChainVerifier, TRUST_POLICIES, type TrustAnchor } from '@vestibule/x509-trust';
import fc from 'fast-check';
import { authoriseStatusSigner, type IssuerTrust, type VerifiedPresentation } from './index';
import { anchorOf, base64, NOW } from './testing/presentation.fixture-spec';

const VCT = 'urn:example:a';
const NAMES = ['root', 'left', 'right', 'other root', 'other left'] as const;
type Name = (typeof NAMES)[number];
/** Who certified the intermediates. */
const PARENTS: Partial<Record<Name, Name>> = { left: 'root', right: 'root', 'other left': 'other root' };

interface Place {
  readonly authority: Authority;
  /** An issuer of credentials, and a signer of lists, both directly below the authority. */
  readonly issuer: Buffer;
  readonly signer: Buffer;
}
let places: ReadonlyMap<Name, Place>;
beforeAll(async () => {
  const made = new Map<Name, Place>();
  for (const name of NAMES) {
    const parent = made.get(PARENTS[name] ?? name);
    const authority = await (parent
      ? parent.authority.issueAuthority({ name, pathLength: 0 })
      : createCertificateAuthority({ name, now: NOW }));
    const [{ certificate: issuer }, { certificate: signer }] = [
      await authority.issue({ name: 'Issuer' }),
      await authority.issue({ name: 'Signer' }),
    ];
    made.set(name, { authority, issuer, signer });
  }
  places = made;
});
const placeOf = (name: Name): Place => places.get(name) as Place;

/** An entry of a trust file. */
interface Entry {
  readonly name: Name;
  readonly purposes: TrustAnchor['purposes'];
  readonly vcts: readonly string[] | undefined;
}
type Purpose = 'credential' | 'status';

/** The rule in words of the trust file, without certificates. */
class Oracle {
  constructor(
    private readonly entries: readonly Entry[],
    private readonly policy: IssuerTrust['policy'],
  ) {}

  isConfigured(name: Name | undefined): boolean {
    return this.entries.some((entry) => entry.name === name);
  }

  private inScope(purpose: Purpose): readonly Entry[] {
    return this.entries.filter(({ purposes, vcts }) => purposes.includes(purpose) && (vcts?.includes(VCT) ?? true));
  }

  /** Who vouches for what `name` certified: itself or its parent, whichever is nearer; of a restricted one never the parent. */
  anchorOf(name: Name, purpose: Purpose): Name | undefined {
    const isOf = (one?: Name) => this.inScope(purpose).some((entry) => entry.name === one);
    const isRestricted = this.entries.some(
      (entry) => entry.name === name && entry.vcts !== undefined && entry.purposes.includes(purpose),
    );
    if (isOf(name) || isRestricted) return isOf(name) ? name : undefined;
    return isOf(PARENTS[name]) ? PARENTS[name] : undefined;
  }

  isRefused(name: Name, purpose: Purpose): boolean {
    const isDemanded = this.policy === 'enforce' || (this.policy === 'auto' && this.inScope(purpose).length > 0);
    return isDemanded && this.anchorOf(name, purpose) === undefined;
  }

  /** A sender leaves out what the verifier has: its root, and an intermediate that is configured without its root. */
  sendsAuthority(name: Name): boolean {
    const parent = PARENTS[name];
    return parent !== undefined && (!this.isConfigured(name) || this.isConfigured(parent));
  }

  judge(issuer: Name, signer: Name): string {
    const isVouchedFor = this.anchorOf(issuer, 'credential') !== undefined;
    if (isVouchedFor && this.isRefused(signer, 'status')) return 'untrusted_issuer';
    const [vouching, listing] = [this.anchorOf(issuer, 'credential'), this.anchorOf(signer, 'status')];
    const isKnown = this.sendsAuthority(issuer) || (vouching !== undefined && listing !== undefined);
    if (issuer === signer && isKnown) return 'authorised';
    const issues = this.entries.some(({ name, purposes }) => name === listing && purposes.includes('credential'));
    const isStatusAuthority = vouching !== undefined && listing !== undefined && !issues;
    return isStatusAuthority ? 'authorised' : 'status_signer_not_authorised';
  }
}

const entries = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    purposes: fc.constantFrom<Entry['purposes'][]>(['credential'], ['status'], ['credential', 'status'], ['access']),
    vcts: fc.constantFrom<Entry['vcts'][]>(undefined, [VCT], ['urn:example:b'], ['urn:example:b', VCT]),
  }),
  { maxLength: 5 },
);

function outcomeOf(step: () => unknown): string {
  try {
    step();
    return 'authorised';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

describe('VP:O5 VP:O6 who may sign the status list of whose credentials', () => {
  it('is what the trust file says, for every two authorities of two hierarchies', () => {
    const name = fc.constantFrom(...NAMES);
    fc.assert(
      fc.property(entries, fc.constantFrom(...TRUST_POLICIES), name, name, (configured, policy, issuer, signer) => {
        const oracle = new Oracle(configured, policy);
        fc.pre(!oracle.isRefused(issuer, 'credential'));
        const anchors = configured.map(({ name: of, purposes, vcts }) =>
          anchorOf(placeOf(of).authority.certificate, { purposes, ...(vcts ? { vcts } : {}) }),
        );
        const trust: IssuerTrust = { chains: createChainVerifier(anchors, { maxEntries: 2 }), policy, covered: [] };
        const x5cOf = (of: Name, leaf: Buffer) =>
          [leaf, ...(oracle.sendsAuthority(of) ? [placeOf(of).authority.certificate] : [])].map(base64);
        const chain = trust.chains.verify(x5cOf(issuer, placeOf(issuer).issuer), {
          now: NOW,
          purpose: 'credential',
          vct: VCT,
        });
        const presentation = { vct: VCT, signedBy: { method: 'certificate', chain } } as VerifiedPresentation;
        const header = { x5c: x5cOf(signer, placeOf(signer).signer) };
        const outcome = outcomeOf(() => authoriseStatusSigner(header, presentation, trust, NOW));
        expect(outcome).toBe(oracle.judge(issuer, signer));
      }),
      { numRuns: 150 },
    );
  });
});
