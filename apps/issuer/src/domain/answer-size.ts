import { MAX_ANSWER_BYTES, type CredentialAnswer } from '@vestibule/contracts';
import { DomainError, type Fault, type JsonObject } from '@vestibule/foundation';
import type { IssuableType } from './credential-offer';

/** The JSON around each credential in an answer, and around all of them, including the notification id. */
const AROUND_CREDENTIAL_BYTES = 18;
const AROUND_ANSWER_BYTES = 256;

/** The size of an answer as JSON, which is pure ASCII; an upper bound. */
export function answerBytes(answer: CredentialAnswer): number {
  if ('jwe' in answer) return answer.jwe.length + AROUND_ANSWER_BYTES;
  if (!('credentials' in answer)) return AROUND_ANSWER_BYTES;
  const each = answer.credentials.map(({ credential }) => credential.length + AROUND_CREDENTIAL_BYTES);
  return each.reduce((total, bytes) => total + bytes, AROUND_ANSWER_BYTES);
}

/** What is known about the credentials of an issuer before they are signed. */
export interface CredentialSize {
  /** The maximum number of credentials in an answer. */
  readonly batchSize: number;
  /** The chain in the header of each credential: base64 of DER. */
  readonly x5c: readonly string[];
}

const jsonBytes = (claims: JsonObject) => Buffer.byteLength(JSON.stringify(claims), 'utf8');

/**
 * The maximum size of claims, in bytes, with which a full batch fits into an answer: whether in a disclosure or not,
 * each claim is base64url of its JSON, and the chain is base64url of base64. Negative if nothing fits.
 */
export function mostClaimBytes({ batchSize, x5c }: CredentialSize): number {
  const chain = x5c.reduce((total, certificate) => total + certificate.length, 0);
  return Math.floor((MAX_ANSWER_BYTES * 3) / (4 * batchSize)) - chain;
}

/** A fault if a full batch of credentials with these claims would not fit into an answer; undefined otherwise. */
export function sizeFault(
  claims: JsonObject,
  { mostClaimBytes }: Pick<IssuableType, 'mostClaimBytes'>,
): Fault | undefined {
  const most = mostClaimBytes();
  if (jsonBytes(claims) <= most) return undefined;
  const reason = `as many credentials as BATCH_SIZE allows must fit into an answer of ${MAX_ANSWER_BYTES} bytes`;
  return { path: 'claims', message: `must have at most ${most} bytes: ${reason}` };
}

/** The mandatory claims of a type with the shortest possible values, which every credential of the type contains. */
function leastClaims({ claims }: IssuableType): JsonObject {
  const names = claims.filter(({ mandatory, path }) => mandatory && path.length === 1).map(({ path }) => path[0]);
  return Object.fromEntries(names.map((name) => [String(name), 0]));
}

/** Throws `credential_answer_too_large` if no full batch of a type fits into an answer. */
export function requireRoom(types: ReadonlyMap<string, IssuableType>, size: CredentialSize): void {
  const most = mostClaimBytes(size);
  for (const type of types.values()) {
    if (jsonBytes(leastClaims(type)) <= most) continue;
    const batch = `BATCH_SIZE=${size.batchSize} credentials of ${type.configurationId}`;
    const detail = `${batch} never fit into an answer of ${MAX_ANSWER_BYTES} bytes: lower BATCH_SIZE, or shorten the chain of the issuer certificate`;
    throw new DomainError({ kind: 'internal', code: 'credential_answer_too_large', detail });
  }
}

/**
 * Adds to each type the maximum size of its claims, which follows the chain. Throws `credential_answer_too_large` if no
 * full batch of a type fits with the present one.
 */
export function withRoom(
  types: ReadonlyMap<string, IssuableType>,
  { batchSize, chain }: Pick<CredentialSize, 'batchSize'> & { readonly chain: () => CredentialSize['x5c'] },
): ReadonlyMap<string, IssuableType> {
  const size = () => ({ batchSize, x5c: chain() });
  requireRoom(types, size());
  return new Map([...types].map(([id, type]) => [id, { ...type, mostClaimBytes: () => mostClaimBytes(size()) }]));
}
