import { MAX_ANSWER_BYTES, type CredentialAnswer } from '@vestibule/contracts';
import { DomainError, type Fault, type JsonObject } from '@vestibule/foundation';
import type { IssuableType } from './credential-offer';

/** Around one credential in the JSON of an answer, and around all of them, notification id included. */
const AROUND_CREDENTIAL_BYTES = 18;
const AROUND_ANSWER_BYTES = 256;

/** Bytes of an answer as JSON, which is ASCII throughout; never less than they are. */
export function answerBytes(answer: CredentialAnswer): number {
  if ('jwe' in answer) return answer.jwe.length + AROUND_ANSWER_BYTES;
  if (!('credentials' in answer)) return AROUND_ANSWER_BYTES;
  const each = answer.credentials.map(({ credential }) => credential.length + AROUND_CREDENTIAL_BYTES);
  return each.reduce((total, bytes) => total + bytes, AROUND_ANSWER_BYTES);
}

/** What is known of the credentials of an issuer before they are signed. */
export interface CredentialSize {
  /** The most credentials of one answer. */
  readonly batchSize: number;
  /** The chain in the header of each credential: base64 of DER. */
  readonly x5c: readonly string[];
}

const jsonBytes = (claims: JsonObject) => Buffer.byteLength(JSON.stringify(claims), 'utf8');

/**
 * The most bytes of claims of which a full batch may fit into an answer: whether in a disclosure or beside them, each claim
 * is base64url of its JSON, and the chain is base64url of what is base64 already. Negative where nothing fits.
 */
export function mostClaimBytes({ batchSize, x5c }: CredentialSize): number {
  const chain = x5c.reduce((total, certificate) => total + certificate.length, 0);
  return Math.floor((MAX_ANSWER_BYTES * 3) / (4 * batchSize)) - chain;
}

/** A fault of claims of which a wallet could never be given a full batch; undefined for others. */
export function sizeFault(claims: JsonObject, { mostClaimBytes: most }: IssuableType): Fault | undefined {
  if (jsonBytes(claims) <= most) return undefined;
  const reason = `as many credentials as BATCH_SIZE allows must fit into an answer of ${MAX_ANSWER_BYTES} bytes`;
  return { path: 'claims', message: `must have at most ${most} bytes: ${reason}` };
}

/** The mandatory claims of a type, each as short as a value can be: what every credential of it has. */
function leastClaims({ claims }: IssuableType): JsonObject {
  const names = claims.filter(({ mandatory, path }) => mandatory && path.length === 1).map(({ path }) => path[0]);
  return Object.fromEntries(names.map((name) => [String(name), 0]));
}

/** The types with the room that their claims have. Throws `credential_answer_too_large` for one of which no full batch fits. */
export function withRoom(
  types: ReadonlyMap<string, IssuableType>,
  size: CredentialSize,
): ReadonlyMap<string, IssuableType> {
  const most = mostClaimBytes(size);
  for (const type of types.values()) {
    if (jsonBytes(leastClaims(type)) <= most) continue;
    const batch = `BATCH_SIZE=${size.batchSize} credentials of ${type.configurationId}`;
    const detail = `${batch} never fit into an answer of ${MAX_ANSWER_BYTES} bytes: lower BATCH_SIZE, or shorten the chain in ISSUER_CERTIFICATE_FILE`;
    throw new DomainError({ kind: 'internal', code: 'credential_answer_too_large', detail });
  }
  return new Map([...types].map(([id, type]) => [id, { ...type, mostClaimBytes: most }]));
}
