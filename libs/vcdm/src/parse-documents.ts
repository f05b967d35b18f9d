import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { publicJwkOf, verificationMethodOf } from './did-key';
import { CREDENTIALS_V2 } from './documents';
import { vcdmFailure } from './failures';

/** The one Data Integrity proof of a document. */
export interface Proof {
  readonly verificationMethod: string;
  readonly expires?: Date | undefined;
  readonly challenge?: string | undefined;
  readonly domain?: string | undefined;
}

/** The form of a secured credential, nothing of it verified. */
export interface CredentialForm {
  readonly id?: string | undefined;
  readonly types: readonly string[];
  readonly issuerDid: string;
  readonly holderDid?: string | undefined;
  readonly validFrom?: Date | undefined;
  readonly validUntil?: Date | undefined;
  readonly proof: Proof;
}

/** The form of a secured presentation, nothing of it verified. */
export interface PresentationForm {
  readonly holderDid?: string | undefined;
  readonly credentials: readonly JsonObject[];
  readonly proof: Proof;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const MAX_CREDENTIALS = 100;
const MAX_TEXT_LENGTH = 512;

function malformed(detail: string): Error {
  return vcdmFailure('vc_malformed', detail);
}

function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A member that may be absent, and is an instant with a time zone otherwise. */
function parseInstant(object: JsonObject, name: string): Date | undefined {
  const value = ownMember(object, name);
  if (value === undefined) return undefined;
  const instant = typeof value === 'string' && INSTANT.test(value) ? new Date(value) : undefined;
  if (!instant || Number.isNaN(instant.getTime())) throw malformed(`${name} must be a dateTimeStamp`);
  return instant;
}

function parseText(object: JsonObject, name: string): string | undefined {
  const value = ownMember(object, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT_LENGTH) {
    throw malformed(`${name} must be a text of at most ${MAX_TEXT_LENGTH} characters`);
  }
  return value;
}

/** An address, or an object that has one (VCDM 2.0 §4.7): undefined where there is none. */
function parseReference(value: JsonValue | undefined, name: string): string | undefined {
  if (typeof value === 'string') return parseText({ [name]: value }, name);
  return isJsonObject(value) ? parseText(value, 'id') : undefined;
}

function parseTypes(document: JsonObject, required: string): string[] {
  const contexts = asArray(ownMember(document, '@context'));
  if (contexts[0] !== CREDENTIALS_V2) throw malformed(`the first @context must be ${CREDENTIALS_V2}`);
  if (!Array.isArray(document['@context'])) throw malformed('@context must be an array');
  const types = asArray(ownMember(document, 'type'));
  const names = types.filter((type) => typeof type === 'string' && type.length <= MAX_TEXT_LENGTH) as string[];
  if (names.length !== types.length || !names.includes(required)) throw malformed(`type must have ${required}`);
  return names;
}

function parseProof(document: JsonObject, purpose: 'assertionMethod' | 'authentication'): Proof {
  const [proof, ...more] = asArray(ownMember(document, 'proof'));
  const supported =
    isJsonObject(proof) && proof['type'] === 'DataIntegrityProof' && proof['cryptosuite'] === 'ecdsa-rdfc-2019';
  if (!supported || more.length > 0) throw vcdmFailure('vc_proof_unsupported');
  if (proof['proofPurpose'] !== purpose) throw vcdmFailure('vc_proof_invalid', `proofPurpose must be ${purpose}`);
  const verificationMethod = parseText(proof, 'verificationMethod') ?? '';
  const [did = ''] = verificationMethod.split('#');
  if (!publicJwkOf(did) || verificationMethod !== verificationMethodOf(did)) throw vcdmFailure('vc_key_unresolvable');
  return {
    verificationMethod,
    expires: parseInstant(proof, 'expires'),
    challenge: parseText(proof, 'challenge'),
    domain: parseText(proof, 'domain'),
  };
}

/** The DID of the one subject; a credential about several subjects, or about something without an address, has none. */
function parseHolder(document: JsonObject): string | undefined {
  const subjects = asArray(ownMember(document, 'credentialSubject'));
  if (subjects.length === 0 || !subjects.every(isJsonObject)) throw malformed('credentialSubject must be an object');
  const [subject, ...more] = subjects;
  return more.length === 0 ? parseReference(subject, 'credentialSubject') : undefined;
}

/** Reads a stranger's document as a credential with one proof; throws what {@link VCDM_FAILURES} has for its form. */
export function parseCredential(document: JsonObject): CredentialForm {
  const types = parseTypes(document, 'VerifiableCredential');
  const issuerDid = parseReference(ownMember(document, 'issuer'), 'issuer');
  if (issuerDid === undefined) throw malformed('issuer must be an address or an object with an id');
  const holderDid = parseHolder(document);
  const [validFrom, validUntil] = [parseInstant(document, 'validFrom'), parseInstant(document, 'validUntil')];
  if (ownMember(document, 'credentialStatus') !== undefined) throw vcdmFailure('vc_status_unsupported');
  const proof = parseProof(document, 'assertionMethod');
  return { id: parseText(document, 'id'), types, issuerDid, holderDid, validFrom, validUntil, proof };
}

/** Reads a stranger's document as a presentation with one proof; its credentials are still to be parsed. */
export function parsePresentation(document: JsonObject): PresentationForm {
  parseTypes(document, 'VerifiablePresentation');
  const credentials = asArray(ownMember(document, 'verifiableCredential'));
  if (!credentials.every(isJsonObject) || credentials.length > MAX_CREDENTIALS) {
    throw malformed(`verifiableCredential must hold at most ${MAX_CREDENTIALS} credentials`);
  }
  const holderDid = parseReference(ownMember(document, 'holder'), 'holder');
  return { holderDid, credentials, proof: parseProof(document, 'authentication') };
}
