import { createPrivateKey } from 'node:crypto';
import { createCertificateAuthority, openCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import type { Pki } from './trusted-pki';

const DAY = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY);
const rootNamed = (name: string, options: object = {}) =>
  createCertificateAuthority({ name, now: new Date(), ...options });

/** Authorities that the verifier of the checklists trusts besides the root: for something else, or in vain. */
export interface SpecialAuthorities {
  /** Trusted itself; the root above it is not. */
  readonly subordinate: Authority;
  readonly expired: Authority;
  /** May have no authority below it. */
  readonly short: Authority;
  readonly forStatus: Authority;
  readonly forCredentials: Authority;
  readonly forAttestation: Authority;
  /** For `urn:example:other` only. */
  readonly forOtherType: Authority;
}

/** What all checklists trust together. */
export interface SharedPki extends Pki {
  readonly authorities: SpecialAuthorities;
}

const SCOPES: Readonly<Record<keyof SpecialAuthorities, object>> = {
  subordinate: {},
  expired: {},
  short: {},
  forStatus: { purposes: ['status'] },
  forCredentials: { purposes: ['credential'] },
  forAttestation: { purposes: ['attestation'] },
  forOtherType: { vcts: ['urn:example:other'] },
};

async function createAuthorities(): Promise<SpecialAuthorities> {
  const hidden = await rootNamed('Hidden Root');
  return {
    subordinate: await hidden.issueAuthority({ name: 'Trusted Subordinate' }),
    expired: await rootNamed('Expired Root', { notBefore: daysFromNow(-9), notAfter: daysFromNow(-1) }),
    short: await rootNamed('Short Root', { pathLength: 0 }),
    forStatus: await rootNamed('Status Root'),
    forCredentials: await rootNamed('Credential Root'),
    forAttestation: await rootNamed('Attestation Root'),
    forOtherType: await rootNamed('Other Root'),
  };
}

/** An authority as JSON. */
interface WrittenAuthority {
  readonly name: string;
  /** DER in base64. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
}
type WrittenPki = Readonly<Record<keyof SpecialAuthorities | 'root' | 'intermediate', WrittenAuthority>>;

const write = ({ name, certificate, privateKey }: Authority): WrittenAuthority => ({
  name,
  certificate: certificate.toString('base64'),
  privateKey: toPem(privateKey),
});

const read = ({ name, certificate, privateKey }: WrittenAuthority): Authority =>
  openCertificateAuthority(
    { certificate: Buffer.from(certificate, 'base64'), privateKey: createPrivateKey(privateKey) },
    { name, now: new Date() },
  );

/** A new PKI as JSON, for all who share a stage, and the files of the verifier that trusts it. */
export async function writeSharedPki(): Promise<{ facts: object; files: Readonly<Record<string, string>> }> {
  const root = await rootNamed('Checklist Root');
  const intermediate = await root.issueAuthority({ name: 'Checklist CA' });
  const authorities = await createAuthorities();
  const special = Object.entries(authorities) as [keyof SpecialAuthorities, Authority][];
  const anchors = [{ file: 'root.pem' }, ...special.map(([name]) => ({ file: `${name}.pem`, ...SCOPES[name] }))];
  const files = Object.fromEntries([
    ['root.pem', toPem(root.certificate)],
    ...special.map(([name, { certificate }]) => [`${name}.pem`, toPem(certificate)]),
    ['trust.json', JSON.stringify({ anchors })],
  ]) as Record<string, string>;
  const all = [['root', root] as const, ['intermediate', intermediate] as const, ...special];
  return { facts: Object.fromEntries(all.map(([name, authority]) => [name, write(authority)])), files };
}

/** The PKI that {@link writeSharedPki} wrote, perhaps in another process; with a leaf of its own. */
export async function readSharedPki(facts: unknown): Promise<SharedPki> {
  const { root, intermediate, ...special } = facts as WrittenPki;
  const below = read(intermediate);
  const leaf = await below.issue({ name: 'Checklist Issuer', dnsNames: ['issuer.example'] });
  const authorities = Object.fromEntries(Object.entries(special).map(([name, written]) => [name, read(written)]));
  return {
    root: read(root),
    intermediate: below,
    issuer: { chain: [leaf.certificate, below.certificate], key: leaf.privateKey },
    authorities: authorities as unknown as SpecialAuthorities,
  };
}
