import { X509Certificate } from 'node:crypto';
import {
  createCertificateAuthority,
  createSelfSignedLeaf,
  openCertificateAuthority,
  type Authority,
} from '@vestibule/dev-pki';
import type { IssuerIdentity } from './mint';

const commonName = (der: Uint8Array | undefined, otherwise: string): string =>
  der === undefined ? otherwise : (/^CN=(.+)$/m.exec(new X509Certificate(der).subject)?.[1] ?? otherwise);

async function identityBelow(root: Authority, names: readonly [string, string], iss?: string): Promise<IssuerIdentity> {
  const intermediate = await root.issueAuthority({ name: names[0], pathLength: 0 });
  const leaf = await intermediate.issue({ name: names[1], dnsNames: ['issuer.example'] });
  return {
    chain: [leaf.certificate, intermediate.certificate],
    key: leaf.privateKey,
    ...(iss === undefined ? {} : { issuer: iss }),
  };
}

/** An issuer below a root that is not trusted. */
export async function foreignIdentity(now: Date): Promise<IssuerIdentity> {
  const root = await createCertificateAuthority({ name: 'Foreign Root', now, pathLength: 1 });
  return identityBelow(root, ['Foreign CA', 'Foreign Issuer'], 'https://foreign.example');
}

/** The same names and the same `iss` as the real issuer, with other keys. */
export async function imitatedIdentity(now: Date, real: IssuerIdentity): Promise<IssuerIdentity> {
  const [leaf, intermediate] = real.chain;
  const names = [commonName(intermediate, 'CA'), commonName(leaf, 'Issuer')] as const;
  const rootName =
    intermediate === undefined ? 'Root' : (/^CN=(.+)$/m.exec(new X509Certificate(intermediate).issuer)?.[1] ?? 'Root');
  const root = await createCertificateAuthority({ name: rootName, now, pathLength: 1 });
  return identityBelow(root, names, real.issuer);
}

/** A leaf that certifies itself, with the name of the real issuer. */
export async function selfSignedIdentity(now: Date, real: IssuerIdentity | undefined): Promise<IssuerIdentity> {
  const name = commonName(real?.chain[0], 'Self-signed Issuer');
  const leaf = await createSelfSignedLeaf({ name, now, dnsNames: ['issuer.example'] });
  const iss = real?.issuer;
  return { chain: [leaf.certificate], key: leaf.privateKey, ...(iss === undefined ? {} : { issuer: iss }) };
}

/** The trusted issuer's own certificate, which is no authority, certifies another one. */
export async function leafAsAuthority(now: Date, real: IssuerIdentity): Promise<IssuerIdentity> {
  const [leaf, ...above] = real.chain;
  const certificate = Buffer.from(leaf as Uint8Array);
  const authority = openCertificateAuthority(
    { certificate, privateKey: real.key },
    { name: commonName(certificate, 'Issuer'), now },
  );
  const below = await authority.issue({ name: 'Issuer below an issuer', dnsNames: ['issuer.example'] });
  return {
    chain: [below.certificate, certificate, ...above],
    key: below.privateKey,
    ...(real.issuer === undefined ? {} : { issuer: real.issuer }),
  };
}
