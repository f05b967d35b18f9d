import { cryptosuite } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { verifyCredential as verifyCredentialProof, verify as verifyPresentationProof } from '@digitalbazaar/vc';
import { isJsonObject, type JsonObject } from '@vestibule/foundation';
import { createOfflineLoader, type FindContext } from './document-loader';
import { vcdmFailure } from './failures';
import { parseCredential, parsePresentation, type CredentialForm, type Proof } from './parse-documents';
import { documentFailure, type PresentationBinding } from './sign-documents';

export interface VerificationOptions {
  readonly now: Date;
  readonly skewSeconds: number;
  readonly findContext: FindContext;
}

/** What a credential says that verified. */
export interface VerifiedCredential {
  /** Its own address, where it has one. */
  readonly id?: string | undefined;
  readonly types: readonly string[];
  readonly issuerDid: string;
  /** The one subject, where there is one with an address. */
  readonly holderDid?: string | undefined;
}

function checkTimes({ validFrom, validUntil }: CredentialForm, { expires }: Proof, options: VerificationOptions): void {
  const [now, skew] = [options.now.getTime(), options.skewSeconds * 1000];
  if (validFrom && validFrom.getTime() > now + skew) throw vcdmFailure('vc_not_yet_valid');
  for (const end of [validUntil, expires]) if (end && end.getTime() <= now - skew) throw vcdmFailure('vc_expired');
}

function controllerOf({ verificationMethod }: Proof): string {
  return verificationMethod.slice(0, verificationMethod.indexOf('#'));
}

/** Errors of the libraries hold each other; a deeper one may say that a term is not defined. */
function causesOf(error: unknown): unknown[] {
  if (Array.isArray(error)) return error.flatMap(causesOf);
  const nested = isJsonObject(error) || error instanceof Error ? (error as { errors?: unknown }).errors : undefined;
  return [error, ...(Array.isArray(nested) ? nested.flatMap(causesOf) : [])];
}
const UNSAFE = 'jsonld.ValidationError';

async function checkProof(
  options: VerificationOptions,
  verify: (common: {
    suite: DataIntegrityProof;
    documentLoader: ReturnType<typeof createOfflineLoader>['load'];
    now: Date;
    maxClockSkew: number;
  }) => Promise<{ verified: boolean; error?: unknown }>,
): Promise<void> {
  const loader = createOfflineLoader(options.findContext);
  const { now, skewSeconds } = options;
  const suite = new DataIntegrityProof({ cryptosuite });
  // The times were judged before, to the second: the library, which counts the ends differently, is not to judge them again.
  const maxClockSkew = skewSeconds + 1;
  const result = await verify({ suite, documentLoader: loader.load, now, maxClockSkew });
  if (result.verified) return;
  const unsafe = causesOf(result.error).find((cause) => cause instanceof Error && cause.name === UNSAFE);
  if (unsafe !== undefined || loader.missing()) throw documentFailure(unsafe, loader);
  throw vcdmFailure('vc_proof_invalid', undefined, result.error);
}

/**
 * Verifies a credential as a stranger gave it, offline: form, validity, and the one proof of its issuer. Throws the
 * codes of {@link VCDM_FAILURES}.
 */
export async function verifyCredential(
  document: JsonObject,
  options: VerificationOptions,
): Promise<VerifiedCredential> {
  const credential = parseCredential(document);
  const { id, types, issuerDid, holderDid, proof } = credential;
  if (controllerOf(proof) !== issuerDid) throw vcdmFailure('vc_proof_invalid');
  checkTimes(credential, proof, options);
  await checkProof(options, (common) => verifyCredentialProof({ ...common, credential: document }));
  return { id, types, issuerDid, holderDid };
}

/**
 * Verifies a presentation and each of its credentials, offline, for the expected challenge and domain. Throws the codes
 * of {@link VCDM_FAILURES}.
 */
export async function verifyPresentation(
  document: JsonObject,
  { challenge, domain }: PresentationBinding,
  options: VerificationOptions,
): Promise<{ readonly holderDid: string; readonly credentials: readonly VerifiedCredential[] }> {
  const { holderDid, proof, credentials } = parsePresentation(document);
  const holder = controllerOf(proof);
  if (holderDid !== undefined && holderDid !== holder) throw vcdmFailure('vc_holder_mismatch');
  if (proof.challenge !== challenge || proof.domain !== domain) throw vcdmFailure('vc_challenge_mismatch');
  if (proof.expires && proof.expires.getTime() <= options.now.getTime() - options.skewSeconds * 1000) {
    throw vcdmFailure('vc_expired');
  }
  // One by one, for the reason why one does not hold: the library only says that not all of them do.
  const verified = [];
  for (const credential of credentials) verified.push(await verifyCredential(credential, options));
  await checkProof(options, (common) =>
    verifyPresentationProof({
      ...common,
      presentation: document,
      challenge,
      ...(domain === undefined ? {} : { domain }),
    }),
  );
  return { holderDid: holder, credentials: verified };
}
