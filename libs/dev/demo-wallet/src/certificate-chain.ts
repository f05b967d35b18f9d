import 'reflect-metadata';
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate,
} from '@peculiar/x509';
import type { JWK } from 'jose';
import { insist, WalletRefusal } from './refusal';

export interface ChainRules {
  readonly now: Date;
  /** DER roots; without them the chain only has to be consistent. */
  readonly trustAnchors?: readonly Uint8Array[];
}

/** One certificate of a chain, parsed once and only as DER. */
export interface ChainCertificate {
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
  /** Distinguished names as DER. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly signedPart: Buffer;
  readonly signatureAlgorithm: string;
}

const encode = (structure: object): Buffer => Buffer.from(AsnConvert.serialize(structure));

/**
 * Parses DER only: `new X509Certificate(bytes)` of Node, and of this library, first tries the bytes as text. Throws the
 * parser's error.
 */
function parseDer(der: Uint8Array): ChainCertificate {
  const parsed = AsnConvert.parse(der, Certificate);
  if (!encode(parsed).equals(der)) throw new TypeError('not DER');
  const { tbsCertificate: tbs, signatureAlgorithm } = parsed;
  return {
    certificate: new X509Certificate(parsed),
    publicKey: createPublicKey({ key: encode(tbs.subjectPublicKeyInfo), format: 'der', type: 'spki' }),
    issuer: encode(tbs.issuer),
    subject: encode(tbs.subject),
    signedPart: encode(tbs),
    signatureAlgorithm: signatureAlgorithm.algorithm,
  };
}

function parseCertificate(element: unknown): ChainCertificate {
  const canonical = typeof element === 'string' && Buffer.from(element, 'base64').toString('base64') === element;
  insist(canonical, 'x5c_malformed', 'an x5c element is not standard base64');
  try {
    return parseDer(Buffer.from(element, 'base64'));
  } catch (error) {
    throw new WalletRefusal('x5c_malformed', 'an x5c element is not a certificate', error);
  }
}

/** The certificates of an `x5c` header, leaf first (RFC 7515 §4.1.6); throws `x5c_malformed`. */
export function parseX5c(x5c: unknown): readonly [ChainCertificate, ...ChainCertificate[]] {
  insist(Array.isArray(x5c), 'x5c_malformed', 'x5c is not an array');
  const [leaf, ...others] = x5c.map(parseCertificate);
  insist(leaf !== undefined, 'x5c_malformed', 'x5c is empty');
  return [leaf, ...others];
}

/** The certificate's P-256 key; throws `certificate_chain_invalid` for other keys, which HAIP 1.0 §7 does not allow. */
export function publicJwkOf({ publicKey }: ChainCertificate): JWK & { kty: string } {
  const isElliptic = publicKey.asymmetricKeyType === 'ec';
  const jwk = isElliptic ? (publicKey.export({ format: 'jwk' }) as JWK) : {};
  insist(jwk.crv === 'P-256', 'certificate_chain_invalid', 'the certificate has no P-256 key');
  return { ...jwk, kty: 'EC' };
}

/** Hashes of ECDSA (RFC 5758 §3.2) and RSASSA-PKCS1-v1_5 (RFC 4055 §5) signatures. */
const HASHES = new Map([
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
]);

function isSignedBy({ certificate, signatureAlgorithm, signedPart }: ChainCertificate, key: KeyObject): boolean {
  const hash = HASHES.get(signatureAlgorithm);
  return hash !== undefined && verify(hash, signedPart, key, new Uint8Array(certificate.signature));
}

function isAuthority({ certificate }: ChainCertificate): boolean {
  const usages = certificate.getExtension(KeyUsagesExtension)?.usages ?? KeyUsageFlags.keyCertSign;
  return certificate.getExtension(BasicConstraintsExtension)?.ca === true && (usages & KeyUsageFlags.keyCertSign) !== 0;
}

const isIssuedBy = (certificate: ChainCertificate, issuer: ChainCertificate): boolean =>
  isAuthority(issuer) && certificate.issuer.equals(issuer.subject) && isSignedBy(certificate, issuer.publicKey);

/**
 * HAIP 1.0 §5 and §6.1.1: the chain is consistent, valid now and contains no self-signed certificate. Throws
 * `certificate_chain_invalid`, `certificate_expired`, or `certificate_untrusted` if anchors are given.
 */
export function checkChain(chain: readonly ChainCertificate[], { now, trustAnchors }: ChainRules): void {
  chain.forEach((link, index) => {
    const selfSigned = link.subject.equals(link.issuer) && isSignedBy(link, link.publicKey);
    insist(!selfSigned, 'certificate_chain_invalid', 'x5c contains a self-signed certificate');
    const current = link.certificate.notBefore <= now && now <= link.certificate.notAfter;
    insist(current, 'certificate_expired', 'a certificate is not valid now');
    const issuer = chain[index + 1];
    insist(
      !issuer || isIssuedBy(link, issuer),
      'certificate_chain_invalid',
      'a certificate is not issued by the next one',
    );
  });
  const last = chain.at(-1);
  if (!trustAnchors || !last) return;
  const anchored = trustAnchors.some((der) => isIssuedBy(last, parseDer(der)));
  insist(anchored, 'certificate_untrusted', 'no trust anchor has issued the chain');
}

/** Authority key identifiers of a chain, base64url, for comparison with a DCQL `aki` query (OpenID4VP 1.0 §6.1.1.1). */
export function authorityKeyIdentifiers(chain: readonly ChainCertificate[]): readonly string[] {
  return chain.flatMap(({ certificate }) => {
    const extension = certificate.getExtension(AuthorityKeyIdentifierExtension);
    return extension?.keyId ? [Buffer.from(extension.keyId, 'hex').toString('base64url')] : [];
  });
}
