import type { JsonObject } from '@vestibule/foundation';
import { resolveContexts } from './contexts';
import { vcdmFailure } from './failures';
import { parsePresentation, typeNames } from './parse-documents';
import { checkRelatedDigests } from './related-resources';
import type { PresentationBinding } from './sign-documents';
import { checkSignature, checkTimes, verifySecuredCredential, type SecuringOptions } from './verify-secured';
import { checkStatus, type StatusLists } from './verify-status';

export interface VerificationOptions extends SecuringOptions {
  readonly statusLists: StatusLists;
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

/**
 * Verifies an untrusted credential: its form, contexts, the single proof of its issuer, and then, in the graph that was
 * signed, its validity, its subject and its status. Only status lists may need the network, and only once everything else
 * holds. Throws the codes of `VCDM_FAILURES`, and as {@link StatusLists.find} does.
 */
export async function verifyCredential(
  document: JsonObject,
  options: VerificationOptions,
): Promise<VerifiedCredential> {
  const { id, issuerDid, holderDid, statuses } = (await verifySecuredCredential(document, options)).graph;
  await checkStatus(statuses, issuerDid, options.statusLists);
  return { id, types: typeNames(document, 'VerifiableCredential'), issuerDid, holderDid };
}

/**
 * Verifies a presentation and each of its credentials, for the expected challenge and domain. Throws as {@link
 * verifyCredential} does.
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
