import { verifyEs256 } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { SignedData } from './canonicalize';
import { resolveContexts } from './contexts';
import { publicKeyOf, verificationMethodOf } from './did-key';
import { vcdmFailure } from './failures';
import { parseCredential, type SecuredForm, type Validity } from './parse-documents';
import type { CredentialGraph } from './read-graph';
import { checkRelatedDigests } from './related-resources';
import type { Understanding } from './sign-documents';

/** What verifying the proof and the times of a document depends on. */
export interface SecuringOptions extends Understanding {
  readonly now: Date;
  readonly skewSeconds: number;
}

/** Throws `vc_proof_invalid` unless the key that the signed proof names has signed. */
export function checkSignature({ signature, signerDid }: SecuredForm, { hashes, proof }: SignedData<unknown>): void {
  const key = publicKeyOf(signerDid);
  const isNamed = proof.verificationMethod === verificationMethodOf(signerDid);
  if (!key || !isNamed || !verifyEs256(key, hashes, signature)) throw vcdmFailure('vc_proof_invalid');
}

/** Throws `vc_not_yet_valid` or `vc_expired`, with the tolerance for clocks. */
export function checkTimes({ validFrom, validUntil, expires }: Validity, { now, skewSeconds }: SecuringOptions): void {
  const [time, skew] = [now.getTime(), skewSeconds * 1000];
  if (validFrom && validFrom.getTime() > time + skew) throw vcdmFailure('vc_not_yet_valid');
  for (const end of [validUntil, expires]) if (end && end.getTime() <= time - skew) throw vcdmFailure('vc_expired');
}

/**
 * Verifies an untrusted credential but for its status: its form, contexts, the single proof of its issuer, and then, in
 * the graph that was signed, its issuer and validity. Throws the codes of `VCDM_FAILURES`.
 */
export async function verifySecuredCredential(
  document: JsonObject,
  options: SecuringOptions,
): Promise<{ readonly graph: CredentialGraph; readonly expires: Date | undefined }> {
  const form = parseCredential(document);
  // What says itself that it is over need not be expanded to be refused.
  checkTimes(form.validity, options);
  await checkRelatedDigests([document], options.contexts.findTexts);
  const contexts = await resolveContexts({ credentials: [document] }, options.contexts);
  const { unsecured, proof } = form;
  const signed = await options.canonicalize({ kind: 'credential', document: unsecured, proof, contexts });
  checkSignature(form, signed);
  const { graph } = signed;
  if (graph.issuerDid !== form.signerDid) throw vcdmFailure('vc_issuer_mismatch');
  const { expires } = signed.proof;
  checkTimes({ ...graph, expires }, options);
  return { graph, expires };
}
