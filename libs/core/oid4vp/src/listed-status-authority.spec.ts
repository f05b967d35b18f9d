import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import {
  createChainVerifier,
  listedCertificate,
  parseCertificate,
  TRUST_POLICIES,
  type Purpose,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import fc from 'fast-check';
import { authoriseStatusSigner, type IssuerTrust, type VerifiedPresentation } from './index';
import { base64, NOW } from './testing/presentation.fixture-spec';

const VCT = 'urn:example:a';
const PLACES = ['root', 'left', 'right', 'other root', 'other left'] as const;
type Place = (typeof PLACES)[number];
/** Who certified the intermediates. */
const PARENTS: Partial<Record<Place, Place>> = { left: 'root', right: 'root', 'other left': 'other root' };
const ROLES = ['issuer', 'signer'] as const;
type Role = (typeof ROLES)[number];
type Leaf = `${Role} below ${Place}`;
type Name = Place | Leaf;
const isPlace = (name: Name): name is Place => PLACES.some((place) => place === name);

let certificates: ReadonlyMap<Name, Buffer>;
beforeAll(async () => {
  const made = new Map<Name, Buffer>();
  const authorities = new Map<Place, Authority>();
  for (const name of PLACES) {
    const parent = PARENTS[name] && authorities.get(PARENTS[name]);
    const authority = await (parent
      ? parent.issueAuthority({ name, pathLength: 0 })
      : createCertificateAuthority({ name, now: NOW }));
    authorities.set(name, authority);
    made.set(name, authority.certificate);
    for (const role of ROLES) made.set(`${role} below ${name}`, (await authority.issue({ name: role })).certificate);
  }
  certificates = made;
});
const certificateOf = (name: Name): Buffer => certificates.get(name) ?? Buffer.alloc(0);

/** Whose word an entry is: that of the operator's own file, or of an entity on a list. */
type Party = 'file' | 'one' | 'two';
interface Entry {
  readonly name: Name;
  readonly party: Party;
  readonly purposes: readonly Purpose[];
  readonly vcts: readonly string[] | undefined;
}

/** Who signs, and what is sent along: an intermediate may be left out. */
interface Sender {
  readonly role: Role;
  readonly place: Place;
  readonly isWhole: boolean;
}
const leafOf = ({ role, place }: Sender): Leaf => `${role} below ${place}`;
const sends = ({ place, isWhole }: Sender): boolean => isWhole && PARENTS[place] !== undefined;

/** The rule in words of the file and the list, without certificates. */
class Oracle {
  constructor(
    private readonly entries: readonly Entry[],
    private readonly policy: IssuerTrust['policy'],
  ) {}

  private inScope(purpose: Purpose): readonly Entry[] {
    return this.entries.filter(({ purposes, vcts }) => purposes.includes(purpose) && (vcts?.includes(VCT) ?? true));
  }

  /** From the nearest: what of the chain somebody names. A restricted intermediate of the file hides the file's root. */
  private named(sender: Sender, purpose: Purpose): readonly Entry[] {
    const { place } = sender;
    const parent = sends(sender) ? PARENTS[place] : undefined;
    const isRestricted = this.entries.some(
      ({ name, party, vcts, purposes }) =>
        name === place && party === 'file' && vcts !== undefined && purposes.includes(purpose),
    );
    const isHidden = ({ name, party }: Entry) => name === parent && party === 'file' && isRestricted;
    return [place, parent, leafOf(sender)].flatMap((name) =>
      this.inScope(purpose).filter((entry) => entry.name === name && !isHidden(entry)),
    );
  }

  isAnchorSent(sender: Sender, purpose: Purpose): boolean {
    const named = this.named(sender, purpose);
    const isKnown = this.entries.some(({ name }) => name === PARENTS[sender.place]);
    const isListed = named.some(({ name }) => name === leafOf(sender));
    return sends(sender) && !isKnown && !isListed && named.some(({ name }) => name === sender.place);
  }

  anchorOf(sender: Sender, purpose: Purpose): Entry | undefined {
    const isKnown = this.entries.some(({ name }) => name === PARENTS[sender.place]);
    return this.named(sender, purpose).find(({ name }) => name !== sender.place || !sends(sender) || isKnown);
  }

  isRefused(sender: Sender, purpose: Purpose): boolean {
    const isDemanded = this.policy === 'enforce' || (this.policy === 'auto' && this.inScope(purpose).length > 0);
    return isDemanded && this.anchorOf(sender, purpose) === undefined;
  }

  private partiesNaming(names: readonly Name[], purpose: Purpose): ReadonlySet<Party> {
    return new Set(
      this.inScope(purpose)
        .filter(({ name }) => names.includes(name))
        .map(({ party }) => party),
    );
  }

  /** Who names the signer itself, or an authority of it that issues nothing, for lists. */
  private appointing(signer: Sender): ReadonlySet<Party> {
    const anchor = this.anchorOf(signer, 'status');
    const issues = this.entries.some(({ name, purposes }) => name === anchor?.name && purposes.includes('credential'));
    const authority = anchor && isPlace(anchor.name) && !issues ? [anchor.name] : [];
    return this.partiesNaming([leafOf(signer), ...authority], 'status');
  }

  private isSibling(issuer: Sender, signer: Sender): boolean {
    const isKnown = (one: Sender, purpose: Purpose) => {
      const anchor = this.anchorOf(one, purpose);
      return sends(one) || (anchor !== undefined && isPlace(anchor.name));
    };
    const anchor = this.anchorOf(signer, 'status');
    const isCertified = anchor === undefined || isPlace(anchor.name);
    return issuer.place === signer.place && isKnown(issuer, 'credential') && isKnown(signer, 'status') && isCertified;
  }

  judge(issuer: Sender, signer: Sender): string {
    const isVouchedFor = this.anchorOf(issuer, 'credential') !== undefined;
    if (this.isAnchorSent(signer, 'status')) return 'trust_anchor_in_x5c';
    if (isVouchedFor && this.isRefused(signer, 'status')) return 'untrusted_issuer';
    return leafOf(issuer) === leafOf(signer) || this.mayServe(issuer, signer)
      ? 'authorised'
      : 'status_signer_not_authorised';
  }

  /** Everybody who vouches for the credential must agree, but for the file, whose word is enough. */
  private mayServe(issuer: Sender, signer: Sender): boolean {
    const isSibling = this.isSibling(issuer, signer);
    const names = this.named(issuer, 'credential').map(({ name }) => name);
    if (names.length === 0) return isSibling;
    const appointing = this.appointing(signer);
    const issuing = this.partiesNaming(names.filter(isPlace), 'credential');
    const agrees = (party: Party) => appointing.has(party) || (isSibling && issuing.has(party));
    if (agrees('file')) return true;
    return [...this.partiesNaming(names, 'credential')].every((party) => party !== 'file' && agrees(party));
  }
}

const NAMES: readonly Name[] = PLACES.flatMap((place): Name[] => [
  place,
  `issuer below ${place}`,
  `signer below ${place}`,
]);
const BOTH: readonly Purpose[] = ['credential', 'status'];
const ALONE: readonly Purpose[] = ['status'];
const listed = fc.record({
  name: fc.constantFrom(...NAMES),
  party: fc.constantFrom<Party[]>('one', 'two'),
  purposes: fc.constantFrom(BOTH, ALONE),
  vcts: fc.constantFrom([VCT], ['urn:example:b']),
});
const filed = fc.record({
  name: fc.constantFrom<Name[]>(...PLACES),
  party: fc.constant<Party>('file'),
  purposes: fc.constantFrom<(readonly Purpose[])[]>(BOTH, ALONE, ['credential'], ['access']),
  vcts: fc.constantFrom(undefined, [VCT], ['urn:example:b']),
});
const trusted = fc
  .tuple(fc.array(filed, { maxLength: 2 }), fc.array(listed, { maxLength: 6 }))
  .map((parts): readonly Entry[] => parts.flat());
const sender = (...roles: Role[]): fc.Arbitrary<Sender> =>
  fc.record({ role: fc.constantFrom(...roles), place: fc.constantFrom(...PLACES), isWhole: fc.boolean() });

const anchorOf = ({ name, party, purposes, vcts }: Entry): TrustAnchor => ({
  ...listedCertificate(parseCertificate(certificateOf(name))),
  purposes,
  ...(vcts ? { vcts } : {}),
  ...(party === 'file' ? {} : { list: 'pid', entity: `pid/${party}` }),
});
const x5cOf = (from: Sender) =>
  [leafOf(from), ...(sends(from) ? [from.place] : [])].map((name) => base64(certificateOf(name)));

function outcomeOf(step: () => unknown): string {
  try {
    step();
    return 'authorised';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

/** What becomes of a list that `signer` signs for a credential of `issuer`. */
function judge(entries: readonly Entry[], policy: IssuerTrust['policy'], [issuer, signer]: readonly [Sender, Sender]) {
  const chains = createChainVerifier(entries.map(anchorOf), { maxEntries: 4 });
  const trust: IssuerTrust = { chains, policy, covered: [] };
  const chain = chains.verify(x5cOf(issuer), { now: NOW, purpose: 'credential', vct: VCT });
  const presentation = { vct: VCT, signedBy: { method: 'certificate', chain } } as VerifiedPresentation;
  return outcomeOf(() => authoriseStatusSigner({ x5c: x5cOf(signer) }, presentation, trust, NOW));
}

describe('EU:T5 who may sign the status list of whose credentials, where a list names authorities and signers', () => {
  it('is what the file and every entity that vouches for the credential say', () => {
    fc.assert(
      fc.property(trusted, fc.constantFrom(...TRUST_POLICIES), sender('issuer'), sender(...ROLES), (...given) => {
        const [entries, policy, issuer, signer] = given;
        const oracle = new Oracle(entries, policy);
        fc.pre(!oracle.isRefused(issuer, 'credential') && !oracle.isAnchorSent(issuer, 'credential'));
        expect(judge(entries, policy, [issuer, signer])).toBe(oracle.judge(issuer, signer));
      }),
      { numRuns: 200 },
    );
  });

  const on = (party: Party, name: Name, purposes = BOTH): Entry => ({ party, name, purposes, vcts: [VCT] });
  const from = (role: Role, place: Place): Sender => ({ role, place, isWhole: true });

  it.each<[string, readonly Entry[], Sender, string]>([
    [
      'not an entity that lists the intermediate of another',
      [on('one', 'root'), on('two', 'left'), on('two', 'other root', ALONE)],
      from('signer', 'other root'),
      'status_signer_not_authorised',
    ],
    [
      'nor one that lists an intermediate of an authority in the file',
      [on('file', 'root'), on('two', 'left'), on('two', 'other root', ALONE)],
      from('signer', 'other root'),
      'status_signer_not_authorised',
    ],
    [
      'not an entity that lists the authority of a provider which is listed itself',
      [on('one', 'issuer below left'), on('two', 'root'), on('two', 'other root', ALONE)],
      from('signer', 'other root'),
      'status_signer_not_authorised',
    ],
    [
      'not everybody whom that authority has certified',
      [on('one', 'issuer below left'), on('two', 'root')],
      from('signer', 'left'),
      'status_signer_not_authorised',
    ],
    [
      'but a signer that the provider lists, too',
      [on('one', 'issuer below left'), on('one', 'signer below left', ALONE), on('two', 'root')],
      from('signer', 'left'),
      'authorised',
    ],
    [
      'and everybody below an authority that the provider lists beside itself',
      [on('one', 'issuer below left'), on('one', 'root')],
      from('signer', 'left'),
      'authorised',
    ],
  ])('is %s', (_, entries, signer, expected) => {
    expect(judge(entries, 'enforce', [from('issuer', 'left'), signer])).toBe(expected);
  });
});
