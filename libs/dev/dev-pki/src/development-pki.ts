import { X509Certificate, type KeyObject } from 'node:crypto';
import { createCertificateAuthority, type Authority, type IssuedCertificate } from './certificate-authority';

/** A leaf with its chain for a JOSE header: leaf first, then the intermediate, never the root. */
export interface DevelopmentCertificate extends IssuedCertificate {
  readonly chain: readonly Buffer[];
}

/** Everything that a local installation needs to sign and to trust its own signatures. */
export interface DevelopmentPki {
  readonly root: Authority;
  readonly intermediate: Authority;
  /** The verifier's access certificate: it signs request objects. */
  readonly verifier: DevelopmentCertificate;
  /** The issuer's certificate: it signs credentials and status lists. */
  readonly issuer: DevelopmentCertificate;
}

export interface DevelopmentNames {
  /** Host names, with or without a port, for the leaves: SAN dNSName and the URI `https://<host>`. */
  readonly hosts: readonly string[];
  /** Additional SAN URIs: an `issuer_url` with a path, or a loopback one with http. */
  readonly uris?: readonly string[];
}

export interface DevelopmentPkiOptions extends DevelopmentNames {
  readonly now: Date;
}

/** The common names; an authority that is read from a file is opened under its name here. */
export const DEVELOPMENT_SUBJECTS = {
  root: 'Vestibule Development Root',
  intermediate: 'Vestibule Development CA',
  verifier: 'Vestibule Development Verifier',
  issuer: 'Vestibule Development Issuer',
  'issuer-access': 'Vestibule Development Issuer Access',
  'wallet-provider': 'Vestibule Development Wallet Provider',
} as const;

/** The leaves that are certified by the intermediate. */
export type DevelopmentLeaf = Exclude<keyof typeof DEVELOPMENT_SUBJECTS, 'root' | 'intermediate'>;

const LEAF_MILLISECONDS = 3 * 365 * 86_400_000;

/** The subject alternative names of the leaves. */
export function developmentNames({ hosts, uris = [] }: DevelopmentNames) {
  return {
    dnsNames: [...new Set(hosts.map((host) => new URL(`https://${host}`).hostname))],
    uris: [...new Set([...hosts.map((host) => `https://${host}`), ...uris])],
  };
}

/** Creates a root with a new key. */
export function createDevelopmentRoot(now: Date): Promise<Authority> {
  return createCertificateAuthority({ name: DEVELOPMENT_SUBJECTS.root, now, pathLength: 1 });
}

/** Creates the intermediate that certifies the leaves, with a new key. */
export function createDevelopmentIntermediate(root: Authority): Promise<Authority> {
  return root.issueAuthority({ name: DEVELOPMENT_SUBJECTS.intermediate, pathLength: 0 });
}

export interface DevelopmentLeafOptions extends DevelopmentPkiOptions {
  /** The key of the certificate that this one replaces; by default a new one. */
  readonly privateKey?: KeyObject | undefined;
}

/** Certifies a leaf for three years, or until the intermediate expires. */
export async function issueDevelopmentLeaf(
  intermediate: Authority,
  name: DevelopmentLeaf,
  { now, privateKey, ...names }: DevelopmentLeafOptions,
): Promise<DevelopmentCertificate> {
  const authorityEnd = Date.parse(new X509Certificate(intermediate.certificate).validTo);
  const issued = await intermediate.issue({
    name: DEVELOPMENT_SUBJECTS[name],
    ...developmentNames(names),
    notBefore: new Date(now.getTime() - 86_400_000),
    notAfter: new Date(Math.min(now.getTime() + LEAF_MILLISECONDS, authorityEnd)),
    ...(privateKey ? { privateKey } : {}),
  });
  return { ...issued, chain: [issued.certificate, intermediate.certificate] };
}

/**
 * Creates a root, an intermediate and two leaves for development. The keys are new each time and protect nothing real.
 */
export async function createDevelopmentPki(options: DevelopmentPkiOptions): Promise<DevelopmentPki> {
  const root = await createDevelopmentRoot(options.now);
  const intermediate = await createDevelopmentIntermediate(root);
  const verifier = await issueDevelopmentLeaf(intermediate, 'verifier', options);
  return { root, intermediate, verifier, issuer: await issueDevelopmentLeaf(intermediate, 'issuer', options) };
}
