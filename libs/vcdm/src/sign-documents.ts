import { cryptosuite } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { issue, signPresentation as signWithChallenge } from '@digitalbazaar/vc';
import { signEs256 } from '@vestibule/crypto';
import { DomainError, type JsonObject } from '@vestibule/foundation';
import { importDidKey, verificationMethodOf, type DidKeyPair } from './did-key';
import { createOfflineLoader, type FindContext, type OfflineLoader } from './document-loader';
import { vcdmFailure } from './failures';

export interface SigningOptions {
  /** Who signs: the issuer of a credential, the holder of a presentation. */
  readonly signer: DidKeyPair;
  readonly now: Date;
  readonly findContext: FindContext;
}

/** What makes a presentation usable once, at one verifier. */
export interface PresentationBinding {
  readonly challenge: string;
  readonly domain?: string | undefined;
}

function proofOf({ signer, now }: SigningOptions): DataIntegrityProof {
  const key = importDidKey(signer);
  return new DataIntegrityProof({
    cryptosuite,
    date: now,
    signer: {
      id: verificationMethodOf(signer.did),
      algorithm: 'P-256',
      sign: async ({ data }) => signEs256(key, data),
    },
  });
}

/** Names of errors of the JSON-LD library for documents with members that no context defines. */
const UNSAFE = 'jsonld.ValidationError';

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

/** Why the libraries did not take a document, in this library's codes. */
export function documentFailure(error: unknown, loader: OfflineLoader): DomainError {
  const missing = loader.missing();
  if (missing instanceof DomainError) return missing;
  if (nameOf(error) === UNSAFE) return vcdmFailure('vc_term_undefined', undefined, error);
  return vcdmFailure('vc_malformed', undefined, error);
}

/**
 * The credential with a Data Integrity proof of its issuer, cryptosuite ecdsa-rdfc-2019. Throws `vc_malformed`,
 * `vc_context_unknown` (naming the context) and `vc_term_undefined`.
 */
export async function signCredential(credential: JsonObject, options: SigningOptions): Promise<JsonObject> {
  const loader = createOfflineLoader(options.findContext);
  try {
    const { now } = options;
    return (await issue({ credential, suite: proofOf(options), documentLoader: loader.load, now })) as JsonObject;
  } catch (error) {
    throw documentFailure(error, loader);
  }
}

/** The presentation with a proof of its holder for one challenge and domain. Throws as {@link signCredential} does. */
export async function signPresentation(
  presentation: JsonObject,
  { challenge, domain }: PresentationBinding,
  options: SigningOptions,
): Promise<JsonObject> {
  const loader = createOfflineLoader(options.findContext);
  const binding = { challenge, ...(domain === undefined ? {} : { domain }) };
  try {
    const suite = proofOf(options);
    return (await signWithChallenge({ presentation, suite, documentLoader: loader.load, ...binding })) as JsonObject;
  } catch (error) {
    throw documentFailure(error, loader);
  }
}
