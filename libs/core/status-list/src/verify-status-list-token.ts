import type { KeyObject } from 'node:crypto';
import { ES256_ALONE, verifyJwsByJose, type CompactJws, type EcdsaAlgorithm } from '@vestibule/crypto';
import { ownMember, VerificationFailure, type JsonObject } from '@vestibule/foundation';
import { inflateList } from './compress-list';
import { statusFailure } from './failures';
import { ofStatusToken, parseStatusListToken, type StatusListToken } from './parse-status-list-token';
import type { PackedStatuses } from './status-list';

/** The default limit of an inflated list in bytes: 134 million entries of one bit. */
const DEFAULT_MAX_LIST_BYTES = 16_777_216;

/** A verified status list. */
export interface StatusList extends PackedStatuses {
  readonly uri: string;
  readonly issuedAt: Date;
  /** Its `exp`, or when it becomes too old, if that is earlier. */
  readonly expiresAt: Date | undefined;
  readonly ttlSeconds: number | undefined;
  /**
   * What the verified header says about the signer: its `x5c` and `kid`, and nothing else. A caller that caches a list for
   * several credentials must decide for each of them whether this signer is authorised for its issuer (TSL §11.3).
   */
  readonly header: JsonObject;
  /** The memory that the list and its header occupy, at the most. */
  readonly memoryBytes: number;
}

export interface VerifyStatusListTokenOptions {
  /** The uri of the credential's status reference, unchanged. */
  readonly uri: string;
  readonly now: Date;
  /** Tolerance for the difference of two clocks. */
  readonly skewSeconds: number;
  /** For how long after its `iat` a list counts, whatever its `exp` (TSL §8.3, local policies). Default: without end. */
  readonly maxAgeSeconds?: number;
  /**
   * Finds the keys of which one must have signed: validates the chain in `x5c` and authorises the signer for the
   * credential's issuer, or throws a VerificationFailure.
   */
  readonly signerKeys: (header: JsonObject) => readonly KeyObject[];
  /** What the list may be signed with; each key is for the algorithm of its curve alone. Default ES256 (HAIP 1.0 §7). */
  readonly algorithms?: readonly EcdsaAlgorithm[];
  /** HAIP 1.0 §6.1.1 requires `x5c`. `optional` is for issuers whose keys are known otherwise. Default `required`. */
  readonly certificate?: 'required' | 'optional';
  /** Default {@link DEFAULT_MAX_LIST_BYTES}. */
  readonly maxListBytes?: number;
}

/** A string, besides its characters. */
const STRING_BYTES = 64;

type Times = Pick<VerifyStatusListTokenOptions, 'now' | 'skewSeconds' | 'maxAgeSeconds'>;

function requireCertificate(header: JsonObject): void {
  const x5c = ownMember(header, 'x5c');
  const isChain = Array.isArray(x5c) && x5c.length > 0 && x5c.every((entry) => typeof entry === 'string');
  if (!isChain) throw statusFailure('status_token_certificate_missing');
}

/**
 * What of a header names the signer: whatever else the signer wrote into it would be kept for as long as its list, and
 * 64 KiB of nested arrays take a megabyte.
 */
function signerOf(header: JsonObject): { readonly header: JsonObject; readonly strings: number } {
  const [x5c, kid] = [ownMember(header, 'x5c'), ownMember(header, 'kid')];
  const chain = Array.isArray(x5c) && x5c.every((entry) => typeof entry === 'string') ? x5c : undefined;
  return {
    header: { ...(chain && { x5c: chain }), ...(typeof kid === 'string' && { kid }) },
    strings: (chain?.length ?? 0) + 1,
  };
}

function findSignerKeys(header: JsonObject, { signerKeys }: VerifyStatusListTokenOptions): readonly KeyObject[] {
  try {
    const keys = signerKeys(header);
    if (keys.length > 0) return keys;
    throw statusFailure('status_token_signer_not_trusted');
  } catch (error) {
    if (!(error instanceof VerificationFailure) || error.code === 'status_token_signer_not_trusted') throw error;
    const detail = `the signer of the status list token is not trusted: ${error.code}`;
    throw statusFailure('status_token_signer_not_trusted', detail, error);
  }
}

async function requireSignature(
  jws: CompactJws,
  keys: readonly KeyObject[],
  algorithms: readonly EcdsaAlgorithm[],
): Promise<void> {
  let failure: unknown;
  for (const key of keys) {
    try {
      await verifyJwsByJose(jws, key, algorithms);
      return;
    } catch (error) {
      if (!(error instanceof VerificationFailure)) throw error;
      failure = error;
    }
  }
  throw ofStatusToken(failure);
}

/** Verifies the times of a token. Returns when it ends. */
function verifyTimes(token: StatusListToken, { now, skewSeconds, maxAgeSeconds = Infinity }: Times): Date | undefined {
  const skew = skewSeconds * 1000;
  const earliest = Math.max(token.issuedAt.getTime(), token.notBeforeAt?.getTime() ?? 0);
  if (earliest > now.getTime() + skew) throw statusFailure('status_token_not_yet_valid');
  const expiresAt = token.expiresAt?.getTime() ?? Infinity;
  if (expiresAt <= now.getTime() - skew) throw statusFailure('status_token_expired');
  const tooOldAt = token.issuedAt.getTime() + maxAgeSeconds * 1000;
  if (tooOldAt <= now.getTime() - skew) throw statusFailure('status_token_too_old');
  const end = Math.min(expiresAt, tooOldAt);
  return end === Infinity ? undefined : new Date(end);
}

/**
 * Verifies a status list token (TSL §8.3, HAIP 1.0 §6.1.1): form, algorithm, signer, signature, `sub` equal to `uri` without
 * any normalisation, times; then inflates the list, bounded.
 * Throws what {@link parseStatusListToken} throws, `status_token_certificate_missing`,
 * `status_token_signer_not_trusted` (naming the code of the inner failure), `status_token_signature_invalid`,
 * `status_token_subject_mismatch`, `status_token_not_yet_valid`, `status_token_expired`, `status_token_too_old`,
 * `status_list_compression_invalid` or `status_list_too_large`.
 */
export async function verifyStatusListToken(text: string, options: VerifyStatusListTokenOptions): Promise<StatusList> {
  const { algorithms = ES256_ALONE } = options;
  const token = parseStatusListToken(text, algorithms);
  const { jws, bits, issuedAt, ttlSeconds } = token;
  if (options.certificate !== 'optional') requireCertificate(jws.header);
  await requireSignature(jws, findSignerKeys(jws.header, options), algorithms);
  if (token.uri !== options.uri) throw statusFailure('status_token_subject_mismatch');
  const expiresAt = verifyTimes(token, options);
  const bytes = inflateList(token.compressed, options.maxListBytes ?? DEFAULT_MAX_LIST_BYTES);
  const { header, strings } = signerOf(jws.header);
  const memoryBytes = bytes.buffer.byteLength + text.indexOf('.') + strings * STRING_BYTES;
  return { uri: options.uri, bits, bytes, issuedAt, expiresAt, ttlSeconds, header, memoryBytes };
}
