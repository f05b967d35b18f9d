import { verifyEs256 } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { SignedData } from './canonicalize';
import { resolveContexts } from './contexts';
import { publicKeyOf, verificationMethodOf } from './did-key';
import { vcdmFailure } from './failures';
import { checkRelatedDigests } from './related-resources';
import { parseCredential, parsePresentation, typeNames, type SecuredForm, type Validity } from './parse-documents';
import type { PresentationBinding, Understanding } from './sign-documents';

export interface VerificationOptions extends Understanding {
  readonly now: Date;
  readonly skewSeconds: number;
}

/** What a credential says that verified. */
export interface VerifiedCredential {
  /** Its own address, where it has one. */
  readonly id?: string | undefined;
  /** As the document names them; each has a meaning of its own in the graph. */
  readonly types: readonly string[];
  readonly issuerDid: string;
  /** The one subject, where there is one with an address. */
  readonly holderDid?: string | undefined;
}

/** Throws `vc_proof_invalid` unless the key that the signed proof names has signed. */
function checkSignature({ signature, signerDid }: SecuredForm, { hashes, proof }: SignedData<unknown>): void {
  const key = publicKeyOf(signerDid);
  const isNamed = proof.verificationMethod === verificationMethodOf(signerDid);
  if (!key || !isNamed || !verifyEs256(key, hashes, signature)) throw vcdmFailure('vc_proof_invalid');
}

function checkTimes({ validFrom, validUntil, expires }: Validity, { now, skewSeconds }: VerificationOptions): void {
  const [time, skew] = [now.getTime(), skewSeconds * 1000];
  if (validFrom && validFrom.getTime() > time + skew) throw vcdmFailure('vc_not_yet_valid');
  for (const end of [validUntil, expires]) if (end && end.getTime() <= time - skew) throw vcdmFailure('vc_expired');
}

/**
 * Verifies an untrusted credential offline: its form, contexts, the single proof of its issuer, and then, in the graph
 * that was signed, its validity, its status and its subject. Throws the codes of `VCDM_FAILURES`.
 */
export async function verifyCredential(
  document: JsonObject,
  options: VerificationOptions,
): Promise<VerifiedCredential> {
  const form = parseCredential(document);
  // What says itself that it is over need not be expanded to be refused.
  checkTimes(form.validity, options);
  await checkRelatedDigests([document], options.contexts.findTexts);
  const contexts = await resolveContexts({ credentials: [document] }, options.contexts);
  const { unsecured, proof } = form;
  const signed = await options.canonicalize({ kind: 'credential', document: unsecured, proof, contexts });
  checkSignature(form, signed);
  const { id, issuerDid, holderDid, hasStatus } = signed.graph;
  if (issuerDid !== form.signerDid) throw vcdmFailure('vc_issuer_mismatch');
  if (hasStatus) throw vcdmFailure('vc_status_unsupported');
  checkTimes({ ...signed.graph, expires: signed.proof.expires }, options);
  return { id, types: typeNames(document, 'VerifiableCredential'), issuerDid, holderDid };
}

/**
 * Verifies a presentation and each of its credentials, offline, for the expected challenge and domain. Throws the codes
 * of `VCDM_FAILURES`.
 */
export async function verifyPresentation(
  document: JsonObject,
  { challenge, domain }: PresentationBinding,
  options: VerificationOptions,
): Promise<{ readonly holderDid: string; readonly credentials: readonly VerifiedCredential[] }> {
  const form = parsePresentation(document);
  checkTimes({ expires: form.validity.expires }, options);
  const { unsecured, proof, credentials } = form;
  await checkRelatedDigests([document], options.contexts.findTexts);
  const contexts = await resolveContexts({ presentation: document, credentials }, options.contexts);
  const signed = await options.canonicalize({ kind: 'presentation', document: unsecured, proof, contexts });
  checkSignature(form, signed);
  const { graph } = signed;
  if (graph.holderDid !== undefined && graph.holderDid !== form.signerDid) throw vcdmFailure('vc_holder_mismatch');
  if (signed.proof.challenge !== challenge || signed.proof.domain !== domain)
    throw vcdmFailure('vc_challenge_mismatch');
  checkTimes({ expires: signed.proof.expires }, options);
  if (graph.credentials !== credentials.length) throw vcdmFailure('vc_member_unsigned');
  const verified = [];
  for (const credential of credentials) verified.push(await verifyCredential(credential, options));
  return { holderDid: form.signerDid, credentials: verified };
}
