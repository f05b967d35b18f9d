import type { Certificate } from './certificate';
import type { Purpose, TrustAnchor } from './trust-anchor';

/** RFC 5280 §4.2.1.12: good for everything. */
const ANY = '2.5.29.37.0';
/** mdlDS of ISO/IEC 18013-5:2021 §B.1.4: signs what an issuing authority issues. */
const DOCUMENT_SIGNER = '1.0.18013.5.1.2';
/** mdlReaderAuth of ISO/IEC 18013-5:2021 §B.1.7: signs what a reader asks for. */
const READER_AUTHENTICATION = '1.0.18013.5.1.6';
/** The same for PIDs (PID Rulebook of ARF 1.4), with a third for their authorities: certificates of pilots have them. */
const PID = { documentSigner: '1.3.130.2.0.0.1.2', reader: '1.3.130.2.0.0.1.6', authority: '1.3.130.2.0.0.1.7' };
const ISSUING = [DOCUMENT_SIGNER, PID.documentSigner, PID.authority];

/**
 * The extended key usages that are accepted for each purpose. Only identifiers with a citable clause are listed. A
 * status list may be signed with the key of the credential (Token Status List §11.3); the usage defined there,
 * id-kp-oauthStatusSigning, has no number yet (§10). None was found in ETSI TS 119 412-6, TS 119 411-8 and the OpenID
 * profiles. docs/trust.md names the sources.
 */
export const EXTENDED_KEY_USAGES: Readonly<Record<Purpose, readonly string[]>> = {
  credential: ISSUING,
  status: ISSUING,
  wallet_attestation: [],
  key_attestation: [],
  access: [READER_AUTHENTICATION, PID.reader],
  metadata: [],
};

/** What becomes of a certificate that is restricted to other purposes: it is refused, or taken and reported. */
export const EXTENDED_KEY_USAGE_POLICIES = ['enforce', 'report'] as const;
export type ExtendedKeyUsagePolicy = (typeof EXTENDED_KEY_USAGE_POLICIES)[number];

/** Purposes of other protocols (RFC 5280 §4.2.1.12): TLS server and client, code, mail, time stamps, OCSP. */
const FOREIGN_PURPOSES = ['1', '2', '3', '4', '8', '9'].map((arc) => `1.3.6.1.5.5.7.3.${arc}`);

/**
 * Object identifiers by which certificates say for which party of the wallets they are, and what such a party signs: QcType
 * of PID and wallet providers (ETSI TS 119 412-6 annex A), policies of access certificates (ETSI TS 119 411-8), and QcType
 * of persons' signatures and of web sites (ETSI EN 319 412-5 §4.2.3), which the authority for seals may certify as well.
 */
const STATED_USES: ReadonlyMap<string, readonly Purpose[]> = new Map<string, readonly Purpose[]>([
  ['0.4.0.194126.1.1', ['credential', 'status']],
  ['0.4.0.194126.1.2', ['wallet_attestation', 'key_attestation', 'status']],
  ['0.4.0.194118.1.1', ['access']],
  ['0.4.0.194118.1.2', ['access']],
  ['0.4.0.194118.1.3', ['access']],
  ['0.4.0.194118.1.4', ['access']],
  ['0.4.0.1862.1.6.1', ['access']],
  ['0.4.0.1862.1.6.3', ['access']],
]);

/** True unless a certificate says that it is for other parties alone. */
function isStatedFor(identifiers: readonly string[], purpose: Purpose): boolean {
  const stated = identifiers.flatMap((identifier) => {
    const purposes = STATED_USES.get(identifier);
    return purposes ? [purposes] : [];
  });
  return stated.length === 0 || stated.some((purposes) => purposes.includes(purpose));
}

type Restricted = Pick<Certificate, 'extendedKeyUsage'>;

/**
 * True unless the certificate is restricted to other purposes, whether it says so critically or not, by extended key usage or
 * by what ETSI has certificates of wallets' parties say.
 */
export function isUsableFor(
  { extendedKeyUsage, statedUses }: Pick<Certificate, 'extendedKeyUsage' | 'statedUses'>,
  purpose: Purpose,
): boolean {
  if (!isStatedFor(statedUses, purpose)) return false;
  if (!extendedKeyUsage) return true;
  return extendedKeyUsage.purposes.some((oid) => oid === ANY || EXTENDED_KEY_USAGES[purpose].includes(oid));
}

/**
 * As {@link isUsableFor} for an anchor. An authority that is marked as one of PIDs may be on lists of others, too: that of the
 * EU's reference environment certifies wallet providers and relying parties as well. It is for what its list says.
 */
export function isUsableAnchor({ certificate, list }: TrustAnchor, purpose: Purpose): boolean {
  const isOfPids = certificate.extendedKeyUsage?.purposes.includes(PID.authority) ?? false;
  return isUsableFor(certificate, purpose) || (list !== undefined && isOfPids);
}

/** True for a certificate that is restricted to purposes of other protocols, all of them well known. */
export function isForeign({ extendedKeyUsage }: Restricted): boolean {
  return extendedKeyUsage?.purposes.every((oid) => FOREIGN_PURPOSES.includes(oid)) ?? false;
}
