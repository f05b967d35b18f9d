import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { AuthorityKeyIdentifierExtension, X509Certificate as ParsedCertificate } from '@peculiar/x509';
import type { JWK } from 'jose';
import { insist, WalletRefusal } from './refusal';

export interface ChainRules {
  readonly now: Date;
  /** DER roots; without them the chain must only be consistent in itself. */
  readonly trustAnchors?: readonly Uint8Array[];
}

function parseCertificate(element: unknown): X509Certificate {
  const canonical = typeof element === 'string' && Buffer.from(element, 'base64').toString('base64') === element;
  insist(canonical, 'x5c_malformed', 'an x5c element is not standard base64');
  try {
    return new X509Certificate(Buffer.from(element, 'base64'));
  } catch (error) {
    throw new WalletRefusal('x5c_malformed', 'an x5c element is not a certificate', error);
  }
}

/** The certificates of an `x5c` header, leaf first (RFC 7515 §4.1.6); throws `x5c_malformed`. */
export function parseX5c(x5c: unknown): readonly [X509Certificate, ...X509Certificate[]] {
  insist(Array.isArray(x5c), 'x5c_malformed', 'x5c is no array');
  const [leaf, ...others] = x5c.map(parseCertificate);
  insist(leaf !== undefined, 'x5c_malformed', 'x5c is empty');
  return [leaf, ...others];
}

/** The certificate's P-256 key; throws `certificate_chain_invalid` for other keys, which HAIP 1.0 §7 does not allow. */
export function publicJwkOf(certificate: X509Certificate): JWK & { kty: string } {
  const jwk = certificate.publicKey.export({ format: 'jwk' }) as JWK;
  insist(jwk.crv === 'P-256', 'certificate_chain_invalid', 'the certificate has no P-256 key');
  return { ...jwk, kty: 'EC' };
}

const isSignedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/**
 * HAIP 1.0 §5 and §6.1.1: the chain holds together, is valid now and carries no self-signed certificate.
 * Throws `certificate_chain_invalid`, `certificate_expired`, or `certificate_untrusted` when anchors are given.
 */
export function checkChain(chain: readonly X509Certificate[], { now, trustAnchors }: ChainRules): void {
  chain.forEach((certificate, index) => {
    // Not checkIssued, which says no to a leaf that may not sign certificates.
    const selfSigned = certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
    insist(!selfSigned, 'certificate_chain_invalid', 'x5c carries a self-signed certificate');
    const current = new Date(certificate.validFrom) <= now && now <= new Date(certificate.validTo);
    insist(current, 'certificate_expired', 'a certificate is not valid now');
    const issuer = chain[index + 1];
    const linked = !issuer || (issuer.ca && isSignedBy(certificate, issuer));
    insist(linked, 'certificate_chain_invalid', 'a certificate is not issued by the next one');
  });
  const last = chain.at(-1);
  if (!trustAnchors || !last) return;
  const anchored = trustAnchors.some((der) => isSignedBy(last, new X509Certificate(der)));
  insist(anchored, 'certificate_untrusted', 'no trust anchor has issued the chain');
}

/** Authority key identifiers of a chain, base64url: what a DCQL `aki` query is compared with (OpenID4VP 1.0 §6.1.1.1). */
export function authorityKeyIdentifiers(chain: readonly X509Certificate[]): readonly string[] {
  return chain.flatMap((certificate) => {
    const extension = new ParsedCertificate(certificate.raw).getExtension(AuthorityKeyIdentifierExtension);
    return extension?.keyId ? [Buffer.from(extension.keyId, 'hex').toString('base64url')] : [];
  });
}
