import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { decodeBase58 } from './base58';
import { checkConstrainedMembers } from './constrained-members';
import { publicJwkOf, verificationMethodOf } from './did-key';
import { checkDocumentShape } from './document-shape';
import { CREDENTIALS_V2, parseInstant } from './documents';
import { vcdmFailure } from './failures';
import { CRYPTOSUITE_NAME, type ProofPurpose } from './read-graph';

/** When a document begins and ends, as its members say it. */
export interface Validity {
  readonly validFrom?: Date | undefined;
  readonly validUntil?: Date | undefined;
  /** The end of its proof. */
  readonly expires?: Date | undefined;
}

/** The one Data Integrity proof of a document, nothing of it verified. */
export interface SecuredForm {
  /** The document without its proof. */
  readonly unsecured: JsonObject;
  /** The proof without its value: what is signed with the document. */
  readonly proof: JsonObject;
  readonly signature: Uint8Array;
  /** The `did:key` whose verification method the proof names. */
  readonly signerDid: string;
  readonly validity: Validity;
}

/** The form of a presentation; its credentials are still to be parsed. */
export interface PresentationForm extends SecuredForm {
  readonly credentials: readonly JsonObject[];
}

const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1';
const MAX_CREDENTIALS = 100;
const SIGNATURE_BYTES = 64;
/** Every member that VC Data Integrity 1.0 §2.1 gives to a proof, but for `previousProof`: chains are not followed. */
const PROOF_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'cryptosuite',
  'created',
  'expires',
  'verificationMethod',
  'proofPurpose',
  'challenge',
  'domain',
  'nonce',
  'proofValue',
]);

function malformed(detail: string): Error {
  return vcdmFailure('vc_malformed', detail);
}

function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The types that the members name, of which `required` must be one: any other document is refused immediately. */
export function typeNames(document: JsonObject, required: string): string[] {
  const contexts = ownMember(document, '@context');
  if (!Array.isArray(contexts)) throw malformed('@context must be an array');
  if (contexts[0] === CREDENTIALS_V1) throw vcdmFailure('vc_version_unsupported');
  if (contexts[0] !== CREDENTIALS_V2) throw malformed(`the first @context must be ${CREDENTIALS_V2}`);
  const types = asArray(ownMember(document, 'type'));
  const names = types.filter((type) => typeof type === 'string');
  if (names.length !== types.length || !names.includes(required)) throw malformed(`type must have ${required}`);
  return names;
}

/** The issuer or holder as the member says it: an address, or an object that has one (VCDM 2.0 §4.7). */
export function addressIn(value: JsonValue | undefined): string | undefined {
  const id = isJsonObject(value) ? ownMember(value, 'id') : value;
  return typeof id === 'string' ? id : undefined;
}

/** The DID of the key that a proof names; throws `vc_key_unresolvable` unless it is a P-256 did:key. */
function signerOf(proof: JsonObject): string {
  const method = ownMember(proof, 'verificationMethod');
  const [did = ''] = typeof method === 'string' ? method.split('#') : [];
  if (!publicJwkOf(did) || method !== verificationMethodOf(did)) throw vcdmFailure('vc_key_unresolvable');
  return did;
}

/** The P-256 signature of a proof value: multibase base58btc of 64 bytes (ECDSA Cryptosuites 1.0 §3.2). */
function parseProofValue(value: JsonValue | undefined): Uint8Array {
  const bytes = typeof value === 'string' && value.startsWith('z') ? decodeBase58(value.slice(1)) : undefined;
  if (bytes?.byteLength !== SIGNATURE_BYTES)
    throw vcdmFailure('vc_proof_invalid', 'proofValue is not a P-256 signature');
  return bytes;
}

/** A member that may be absent, and is an instant with a time zone otherwise. */
function instantIn(object: JsonObject, name: string): Date | undefined {
  const value = ownMember(object, name);
  if (value === undefined) return undefined;
  const instant = parseInstant(Array.isArray(value) && value.length === 1 ? value[0] : value);
  if (!instant) throw malformed(`${name} must be a dateTimeStamp`);
  return instant;
}

function parseProof(document: JsonObject, purpose: ProofPurpose): SecuredForm {
  const { proof: given, ...unsecured } = document;
  const [proof, ...more] = asArray(given);
  const supported =
    isJsonObject(proof) &&
    proof['type'] === 'DataIntegrityProof' &&
    proof['cryptosuite'] === CRYPTOSUITE_NAME &&
    Object.keys(proof).every((name) => PROOF_MEMBERS.has(name));
  if (!supported || more.length > 0) throw vcdmFailure('vc_proof_unsupported');
  if (proof['proofPurpose'] !== purpose) throw vcdmFailure('vc_proof_invalid', `proofPurpose must be ${purpose}`);
  const { proofValue, ...options } = proof;
  const validity = {
    validFrom: instantIn(document, 'validFrom'),
    validUntil: instantIn(document, 'validUntil'),
    expires: instantIn(proof, 'expires'),
  };
  return { unsecured, proof: options, signature: parseProofValue(proofValue), signerDid: signerOf(proof), validity };
}

/** A credential without a proof, or the credentials in a presentation, have the shape that is worth to be expanded. */
function checkSubjects(document: JsonObject): void {
  const subjects = asArray(ownMember(document, 'credentialSubject'));
  if (subjects.length === 0 || !subjects.every(isJsonObject)) throw malformed('credentialSubject must be an object');
}

/** Checks the form of a credential that is to be signed; throws the codes of `VCDM_FAILURES`. */
export function checkCredentialForm(document: JsonObject): void {
  checkDocumentShape(document, [document]);
  typeNames(document, 'VerifiableCredential');
  if (addressIn(ownMember(document, 'issuer')) === undefined)
    throw malformed('issuer must be a URL or an object with an id');
  checkSubjects(document);
  checkConstrainedMembers(document);
  const [from, until] = [instantIn(document, 'validFrom'), instantIn(document, 'validUntil')];
  if (from && until && until.getTime() < from.getTime()) throw vcdmFailure('vc_validity_reversed');
}

/** The credentials of a presentation, as objects that may have their own contexts. */
function credentialsIn(document: JsonObject): JsonObject[] {
  const credentials = asArray(ownMember(document, 'verifiableCredential'));
  if (!credentials.every(isJsonObject))
    throw malformed('verifiableCredential must be an object, or an array of objects');
  if (credentials.length > MAX_CREDENTIALS) {
    throw malformed(`verifiableCredential must contain at most ${MAX_CREDENTIALS} credentials`);
  }
  return [...credentials];
}

/** Checks the form of a presentation that is to be signed, and gives its credentials; throws as {@link checkCredentialForm}. */
export function checkPresentationForm(document: JsonObject): readonly JsonObject[] {
  const credentials = credentialsIn(document);
  checkDocumentShape(document, [document, ...credentials]);
  typeNames(document, 'VerifiablePresentation');
  checkConstrainedMembers(document);
  return credentials;
}

/**
 * Parses an untrusted document as a credential with one proof, which only its issuer may have made, and refuses
 * everything that can be refused before it is expanded. Its meaning is decided by its graph alone. Throws the codes of
 * `VCDM_FAILURES`.
 */
export function parseCredential(document: JsonObject): SecuredForm {
  checkCredentialForm(document);
  const form = parseProof(document, 'assertionMethod');
  if (addressIn(ownMember(document, 'issuer')) !== form.signerDid) {
    throw vcdmFailure('vc_issuer_mismatch');
  }
  return form;
}

/**
 * Parses an untrusted document as a presentation with one proof, which only its holder may have made. Throws as {@link
 * parseCredential} does.
 */
export function parsePresentation(document: JsonObject): PresentationForm {
  const credentials = checkPresentationForm(document);
  const form = parseProof(document, 'authentication');
  const holder = ownMember(document, 'holder');
  if (holder !== undefined && addressIn(holder) !== form.signerDid) throw vcdmFailure('vc_holder_mismatch');
  return { ...form, credentials };
}
