import { requiresHolderBinding, type DcqlQuery } from '@vestibule/dcql';
import type { IssuedJsonObject, JsonObject } from '@vestibule/foundation';
import {
  deliveredClaims,
  parseSdJwtVc,
  unpackClaims,
  verifyAdministrativeValidity,
  verifyAudience,
  verifyIssuerSignature,
  verifyKeyBinding,
  verifyValidity,
  type DisclosedPlaces,
  type RequestedTransactionData,
  type SdJwtVc,
  type UnpackedCredential,
  type VerifiedKeyBinding,
} from '@vestibule/sd-jwt-vc';
import { parseStatusReference, type StatusReference } from '@vestibule/status-list';
import type { CheckLog, CheckName } from './checks';
import { issuerMethodOf, type PublishedKeys } from './issuer-method';
import type { IssuerTrust, TrustedIssuer } from './issuer-trust';
import { RESPONSE_MODE } from './response-mode';
import { readScaEvidence, type ScaEvidence, type ScaEvidencePolicy } from './sca-evidence';
import type { SurplusPolicy } from './surplus-policy';

/** What a response is judged against: taken from the request that was signed, never from the response. */
export interface PresentationExpectation {
  readonly query: DcqlQuery;
  /** The full `client_id` of the request, prefix included. */
  readonly audience: string;
  /** The nonce of the flow that the response came by. */
  readonly nonce: string;
  readonly requestedAt: Date;
  readonly now: Date;
  readonly skewSeconds: number;
  readonly trust: IssuerTrust;
  /** The keys of all issuers that `neededIssuerMetadata` names for this answer. Default: none. */
  readonly publishedKeys?: PublishedKeys;
  /** What happens to claims that were not requested. Default: they are dropped. */
  readonly surplusClaims?: SurplusPolicy;
  /** Default: required. */
  readonly scaEvidence?: ScaEvidencePolicy;
  readonly checks: CheckLog;
}

/** An object of the request's transaction data that names a credential. */
export interface ApplicableData extends RequestedTransactionData {
  readonly needsScaEvidence?: true;
}

/** What the key binding says of the holder. */
export interface Holder {
  readonly keyThumbprint: string;
  readonly transactionDataHashes?: readonly string[];
  /** Only if it confirms a transaction that needs strong customer authentication. */
  readonly scaEvidence?: ScaEvidence;
}

/** A credential that passed every check but its status, which needs a look at a list elsewhere. */
export interface VerifiedPresentation {
  readonly credentialId: string;
  readonly vct: string;
  readonly issuer: string;
  /** The processed payload. */
  readonly claims: JsonObject;
  /** The processed payload with holes where array elements were not disclosed. */
  readonly issued: IssuedJsonObject;
  /** Which values in `issued` came from their own disclosure. */
  readonly disclosed: DisclosedPlaces;
  /** How many JSON values it holds. */
  readonly values: number;
  /** What the backend gets. */
  readonly deliveredClaims: JsonObject;
  readonly authorityKeyIdentifiers: readonly string[];
  readonly signedBy: TrustedIssuer;
  /** Not supported if the issuer is identified by its metadata: there is no certificate to lead to an anchor. */
  readonly trust: { readonly supported: true; readonly trusted: boolean } | { readonly supported: false };
  /** Where the status is to be looked up; absent when the credential cannot be revoked. */
  readonly status?: StatusReference;
  /** Only if the query requires holder binding. */
  readonly holder?: Holder;
  /** Positions in the list of transaction data for this credential that its key binding confirms. */
  readonly confirmed: readonly number[];
}

function named(credential: string) {
  return (check: string, section: string): CheckName => ({ check, section, credential });
}

interface Judged {
  readonly unpacked: UnpackedCredential;
  readonly issuer: TrustedIssuer;
  readonly binding: VerifiedKeyBinding | undefined;
}

function judge(
  sdJwt: SdJwtVc,
  credentialId: string,
  transactionData: readonly RequestedTransactionData[],
  expected: PresentationExpectation,
): Judged {
  const { checks, now, skewSeconds, audience, nonce, requestedAt } = expected;
  const name = named(credentialId);
  const method = issuerMethodOf(sdJwt, expected);
  const key = checks.run(name(method.check, method.section), () => method.findKey());
  checks.run(name('issuer_signature', 'RFC 9901 §7.1'), () => verifyIssuerSignature(sdJwt, key));
  const unpacked = checks.run(name('disclosures', 'RFC 9901 §7.1'), () => unpackClaims(sdJwt));
  const issuer = checks.run(name('issuer_trust', 'HAIP 1.0 §6.1.1'), () => method.judgeIssuer(unpacked));
  checks.run(name('validity', 'RFC 7519 §4.1'), () => {
    verifyValidity(unpacked.claims, { now, skewSeconds });
    verifyAdministrativeValidity(unpacked.claims, { now, skewSeconds });
    verifyAudience(unpacked.claims, audience);
  });
  // What was not requested can only make the verdict worse: a key binding for another request is a replay.
  const isRequired = requiresHolderBinding(expected.query, credentialId) === 'required';
  if (!isRequired && sdJwt.keyBindingJwt === undefined) return { unpacked, issuer, binding: undefined };
  const binding = checks.run(name('key_binding', 'RFC 9901 §7.3'), () =>
    verifyKeyBinding(sdJwt, unpacked.claims, { audience, nonce, requestedAt, now, skewSeconds, transactionData }),
  );
  return { unpacked, issuer, binding: isRequired ? binding : undefined };
}

function holderOf(
  { thumbprint, claims, transactionData }: VerifiedKeyBinding,
  sent: readonly ApplicableData[],
  { checks, scaEvidence: policy = 'required' }: PresentationExpectation,
  name: ReturnType<typeof named>,
): Holder {
  if (!transactionData) return { keyThumbprint: thumbprint };
  const { hashes, confirmed } = transactionData;
  const holder = { keyThumbprint: thumbprint, transactionDataHashes: hashes };
  if (!confirmed.some((position) => sent[position]?.needsScaEvidence)) return holder;
  const scaEvidence = checks.run(name('sca_evidence', 'TS12 1.0.1 §3.6'), () =>
    readScaEvidence(claims, { responseMode: RESPONSE_MODE, policy }),
  );
  return { ...holder, scaEvidence };
}

/**
 * Verifies one presented SD-JWT VC: structure, certificate chain or published key, issuer's signature, disclosures,
 * trust, validity and key binding, which must be present if the query requires it. Each step is one entry of the
 * decision record. A key binding that the query does not require must be for this request too (OpenID4VP 1.0 §8.6,
 * §14.1.2); beyond that it has no effect. `transactionData` are the objects that name this credential. Throws the
 * VerificationFailure of the first failed step.
 */
export function verifyPresentation(
  credentialId: string,
  presentation: string,
  transactionData: readonly ApplicableData[],
  expected: PresentationExpectation,
): VerifiedPresentation {
  const name = named(credentialId);
  const { legacyTypes } = expected.trust;
  const sdJwt = expected.checks.run(name('sd_jwt_structure', 'RFC 9901 §4'), () =>
    parseSdJwtVc(presentation, { legacyTypes }),
  );
  const { unpacked, issuer, binding } = judge(sdJwt, credentialId, transactionData, expected);
  const status = expected.checks.run(name('status_reference', 'HAIP 1.0 §6.1'), () =>
    parseStatusReference(unpacked.claims),
  );
  return {
    credentialId,
    vct: unpacked.vct,
    issuer: issuer.name,
    claims: unpacked.claims,
    issued: unpacked.issued,
    disclosed: unpacked.disclosed,
    values: unpacked.values,
    deliveredClaims: deliveredClaims(unpacked.claims),
    authorityKeyIdentifiers: issuer.authorityKeyIdentifiers,
    signedBy: issuer,
    trust: issuer.method === 'metadata' ? { supported: false } : { supported: true, trusted: issuer.trusted },
    ...(status ? { status } : {}),
    ...(binding ? { holder: holderOf(binding, transactionData, expected, name) } : {}),
    confirmed: binding?.transactionData?.confirmed ?? [],
  };
}
