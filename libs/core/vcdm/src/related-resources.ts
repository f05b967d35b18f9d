import { decodeBase64url, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { decodeBase58 } from './base58';
import { vcdmFailure } from './failures';

/** Digests by their names in Subresource Integrity: bytes, and the code in a multihash. */
const DIGESTS = { sha256: [32, 0x12], sha384: [48, 0x20], sha512: [64, 0x13] } as const;
type Digest = keyof typeof DIGESTS;

/** The digests of the resources whose bytes are fixed: those that VCDM 2.0 §B.1 gives for its context. */
const KNOWN: ReadonlyMap<string, Readonly<Partial<Record<Digest, string>>>> = new Map([
  [
    'https://www.w3.org/ns/credentials/v2',
    {
      sha256: '59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734',
      sha384: '97f1eb8e5042356c805fdd61afa2c557663785e0794dcafa21e138fd38def18cb360133c221aa31d6896a6bf3e65b614',
    },
  ],
]);

const MAX_DIGEST_LENGTH = 128;
const URL = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/;

/** Is it an absolute URL, as VCDM 2.0 §4.4 wants of identifiers? */
export function isAbsoluteUrl(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && URL.test(value);
}

const malformed = (detail: string) => vcdmFailure('vc_related_resource_malformed', `relatedResource: ${detail}`);

/** The bytes of a digest, and its algorithm where the text says it. */
interface Claimed {
  readonly bytes: Uint8Array;
  readonly algorithm: Digest | undefined;
}

/** One `digestSRI`: an algorithm and the padded base64 of a digest (SRI §3.5). */
function parseIntegrity(text: string): Claimed | undefined {
  const [, name = '', digest = ''] = /^(sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(digest, 'base64');
  const algorithm = name as Digest;
  return bytes.toString('base64') === digest && bytes.length === DIGESTS[algorithm]?.[0]
    ? { bytes, algorithm }
    : undefined;
}

/** A `digestMultibase`: base64url (`u`) or base58btc (`z`) of a multihash, or of a bare digest. */
function parseMultibase(text: string): Claimed | undefined {
  if (text.length > MAX_DIGEST_LENGTH) return undefined;
  const bytes = text.startsWith('u') ? decodeBase64url(text.slice(1)) : undefined;
  const decoded = bytes ?? (text.startsWith('z') ? decodeBase58(text.slice(1)) : undefined);
  if (!decoded) return undefined;
  const names = Object.keys(DIGESTS) as Digest[];
  const [code, length] = decoded;
  const named = names.find((name) => DIGESTS[name][1] === code && DIGESTS[name][0] === length);
  if (named && decoded.length === DIGESTS[named][0] + 2) return { bytes: decoded.subarray(2), algorithm: named };
  const bare = names.find((name) => DIGESTS[name][0] === decoded.length);
  return bare && { bytes: decoded, algorithm: bare };
}

function claimedIn(
  resource: JsonObject,
  member: 'digestSRI' | 'digestMultibase',
  parse: (text: string) => Claimed | undefined,
): readonly Claimed[] {
  const value = ownMember(resource, member);
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((text) => {
    const claimed = typeof text === 'string' ? parse(text) : undefined;
    if (!claimed) throw malformed(`${member} must be a digest by SHA-256, SHA-384 or SHA-512`);
    return claimed;
  });
}

function checkDigests(url: string, claimed: readonly Claimed[]): void {
  const known = KNOWN.get(url);
  for (const { algorithm, bytes } of known ? claimed : []) {
    const expected = algorithm && known?.[algorithm];
    if (expected !== undefined && expected !== Buffer.from(bytes).toString('hex'))
      throw vcdmFailure('vc_related_resource_mismatch', `relatedResource: the digest is not that of ${url}`);
  }
}

/**
 * Checks `relatedResource` (VCDM 2.0 §5.3): objects with an absolute URL in `id`, no two with the same, each with a digest;
 * that of a resource whose bytes are known must be right. Throws `vc_related_resource_malformed` and
 * `vc_related_resource_mismatch`.
 */
export function checkRelatedResources(resources: readonly JsonValue[]): void {
  const seen = new Set<string>();
  for (const resource of resources) {
    const id = isJsonObject(resource) ? ownMember(resource, 'id') : undefined;
    if (!isJsonObject(resource) || !isAbsoluteUrl(id)) throw malformed('each must be an object with a URL in id');
    if (seen.has(id)) throw malformed('each id must occur once');
    seen.add(id);
    const claimed = [
      ...claimedIn(resource, 'digestSRI', parseIntegrity),
      ...claimedIn(resource, 'digestMultibase', parseMultibase),
    ];
    if (claimed.length === 0) throw malformed('each must have digestSRI or digestMultibase');
    checkDigests(id, claimed);
  }
}
