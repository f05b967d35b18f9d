import { signEs256 } from '@vestibule/crypto';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import { encodeBase58 } from './base58';
import type { Canonicalize } from './canonicalize';
import { resolveContexts, type KnownContexts } from './contexts';
import { importDidKey, verificationMethodOf, type DidKeyPair } from './did-key';
import { formatInstant } from './documents';
import { vcdmFailure } from './failures';
import { checkCredentialForm, checkPresentationForm } from './parse-documents';
import { checkRelatedDigests } from './related-resources';
import { CRYPTOSUITE_NAME, type ProofPurpose } from './read-graph';

/** What a document means: the contexts that it may have, and how it becomes a graph. */
export interface Understanding {
  readonly contexts: KnownContexts;
  readonly canonicalize: Canonicalize;
}

export interface SigningOptions extends Understanding {
  /** The signer: the issuer of a credential, the holder of a presentation. */
  readonly signer: DidKeyPair;
  readonly now: Date;
}

/** What makes a presentation usable once, at one verifier. */
export interface PresentationBinding {
  readonly challenge: string;
  readonly domain?: string | undefined;
}

function proofOptions({ signer, now }: SigningOptions, proofPurpose: ProofPurpose): JsonObject {
  return {
    type: 'DataIntegrityProof',
    created: formatInstant(now),
    verificationMethod: verificationMethodOf(signer.did),
    cryptosuite: CRYPTOSUITE_NAME,
    proofPurpose,
  };
}

function secured(document: JsonObject, proof: JsonObject, hashes: Uint8Array, { signer }: SigningOptions): JsonObject {
  const proofValue = `z${encodeBase58(signEs256(importDidKey(signer), hashes))}`;
  return { ...document, proof: { ...proof, proofValue } };
}

/**
 * The credential with a Data Integrity proof of its issuer, cryptosuite ecdsa-rdfc-2019. Only what would verify is signed,
 * but for its times and what its status lists say: they are not fetched. Throws the codes of `VCDM_FAILURES`;
 * `vc_context_unknown` names the context.
 */
export async function signCredential(credential: JsonObject, options: SigningOptions): Promise<JsonObject> {
  if (ownMember(credential, 'proof') !== undefined) throw vcdmFailure('vc_malformed', 'the credential has a proof');
  checkCredentialForm(credential);
  await checkRelatedDigests([credential], options.contexts.findTexts);
  const contexts = await resolveContexts({ credentials: [credential] }, options.contexts);
  const proof = proofOptions(options, 'assertionMethod');
  const request = { kind: 'credential', document: credential, proof, contexts } as const;
  const { graph, hashes } = await options.canonicalize(request);
  if (graph.issuerDid !== options.signer.did) throw vcdmFailure('vc_issuer_mismatch');
  return secured(credential, proof, hashes, options);
}

/**
 * The presentation with a proof of its holder for one challenge and domain; what its credentials say is not verified.
 * Throws as {@link signCredential} does, and `vc_holder_mismatch`.
 */
export async function signPresentation(
  presentation: JsonObject,
  { challenge, domain }: PresentationBinding,
  options: SigningOptions,
): Promise<JsonObject> {
  if (ownMember(presentation, 'proof') !== undefined) throw vcdmFailure('vc_malformed', 'the presentation has a proof');
  const credentials = checkPresentationForm(presentation);
  await checkRelatedDigests([presentation], options.contexts.findTexts);
  const contexts = await resolveContexts({ presentation, credentials }, options.contexts);
  const proof = { ...proofOptions(options, 'authentication'), challenge, ...(domain === undefined ? {} : { domain }) };
  const request = { kind: 'presentation', document: presentation, proof, contexts } as const;
  const { graph, hashes } = await options.canonicalize(request);
  if (graph.holderDid !== undefined && graph.holderDid !== options.signer.did) throw vcdmFailure('vc_holder_mismatch');
  return secured(presentation, proof, hashes, options);
}
