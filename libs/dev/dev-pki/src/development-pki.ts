import { createCertificateAuthority, type Authority, type IssuedCertificate } from './certificate-authority';

/** A leaf with the chain that a JOSE header carries for it: leaf first, then the intermediate, never the root. */
export interface DevelopmentCertificate extends IssuedCertificate {
  readonly chain: readonly Buffer[];
}

/** Everything that a local installation needs to sign and to trust itself. */
export interface DevelopmentPki {
  readonly root: Authority;
  readonly intermediate: Authority;
  /** The verifier's access certificate: it signs request objects. */
  readonly verifier: DevelopmentCertificate;
  /** The issuer's certificate: it signs credentials and status lists. */
  readonly issuer: DevelopmentCertificate;
}

export interface DevelopmentPkiOptions {
  readonly now: Date;
  /** Host names, with or without a port, that the leaves are for: SAN dNSName and the URI `https://<host>`. */
  readonly hosts: readonly string[];
  /** More SAN URIs: an `issuer_url` with a path, or a loopback one with http. */
  readonly uris?: readonly string[];
}

/** Makes a root, an intermediate and two leaves for development. The keys are fresh each time and protect nothing real. */
export async function createDevelopmentPki({ now, hosts, uris = [] }: DevelopmentPkiOptions): Promise<DevelopmentPki> {
  const root = await createCertificateAuthority({ name: 'Vestibule Development Root', now, pathLength: 1 });
  const intermediate = await root.issueAuthority({ name: 'Vestibule Development CA', pathLength: 0 });
  const names = {
    dnsNames: [...new Set(hosts.map((host) => new URL(`https://${host}`).hostname))],
    uris: [...new Set([...hosts.map((host) => `https://${host}`), ...uris])],
  };
  const leaf = async (name: string): Promise<DevelopmentCertificate> => {
    const issued = await intermediate.issue({ name, ...names });
    return { ...issued, chain: [issued.certificate, intermediate.certificate] };
  };
  const verifier = await leaf('Vestibule Development Verifier');
  return { root, intermediate, verifier, issuer: await leaf('Vestibule Development Issuer') };
}
