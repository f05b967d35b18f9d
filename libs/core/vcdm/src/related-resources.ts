import { createHash } from 'node:crypto';
import { decodeBase64url, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { decodeBase58 } from './base58';
import { vcdmFailure } from './failures';

/** Digests by their names in Subresource Integrity: bytes, and the code in a multihash. */
const DIGESTS = { sha256: [32, 0x12], sha384: [48, 0x20], sha512: [64, 0x13] } as const;
type Digest = keyof typeof DIGESTS;

/** The digests of the contexts that are part of this program, as the W3C publishes their bytes (VCDM 2.0 §B.1). */
const KNOWN: ReadonlyMap<string, Readonly<Record<Digest, string>>> = new Map([
  [
    'https://www.w3.org/ns/credentials/v2',
    {
      sha256: '59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734',
      sha384: '97f1eb8e5042356c805fdd61afa2c557663785e0794dcafa21e138fd38def18cb360133c221aa31d6896a6bf3e65b614',
      sha512:
        '5d55452bd2dcf8a29f5a290473eb242b1c5fb77d4e68f1a0aa87baa4dba2694852d65ec63d48ac04a99d956f9f7153b9406f84d2d04c74869b02c239a1d81305',
    },
  ],
  [
    'https://www.w3.org/ns/credentials/undefined-terms/v2',
    {
      sha256: '82dab514ba44eb18f5d1b0f638c5e140c6a556fbfb5089601bdc0fa5eb8b2581',
      sha384: 'b2a66ccddba70ba67ad99c2ff52e60558df0063cea51c4ca886e25d9ea73cfabb878baf92dc2ad2bda26c31391850d68',
      sha512:
        '7c525ff49bc479ec5da7fccf5d56497e4be408eb269d36609cc1f6ce1f9c4ee23e4aefb53d3728b4a1cac56da6518cfcde789af23a5dfb77f4ce693eb5ed581b',
    },
  ],
  [
    'https://www.w3.org/2018/credentials/v1',
    {
      sha256: 'ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc',
      sha384: '82c3b3eab863754bbfd2b9f17d8d6db9f61169f301cbf0b05e1fc4beb5f5c51dd4d2e888c274f49c3fbb2408f61faed1',
      sha512:
        '536a40b390dda94a9e39196c00090f62668e8184fe3c8c02c4a22c85666e68bf6e85d3dc7f2dba85b2b62ef95d97de24132568d8504db43f2c9c82d2e88418d2',
    },
  ],
]);

/** The most resources of one document: each may have to be looked up. */
const MAX_RESOURCES = 32;
const MAX_DIGEST_LENGTH = 128;
const URL = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/;

/** Is it an absolute URL, as VCDM 2.0 §4.4 wants of identifiers? */
export function isAbsoluteUrl(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && URL.test(value);
}

const malformed = (detail: string) => vcdmFailure('vc_related_resource_malformed', `relatedResource: ${detail}`);

/** The bytes of a digest, and its algorithm. */
interface Claimed {
  readonly bytes: Uint8Array;
  readonly algorithm: Digest;
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

/** One related resource: its address, and the digests that the document claims for it. */
interface Related {
  readonly id: string;
  readonly claimed: readonly Claimed[];
}

function relatedResource(resource: JsonValue): Related {
  const id = isJsonObject(resource) ? ownMember(resource, 'id') : undefined;
  if (!isJsonObject(resource) || !isAbsoluteUrl(id)) throw malformed('each must be an object with a URL in id');
  const claimed = [
    ...claimedIn(resource, 'digestSRI', parseIntegrity),
    ...claimedIn(resource, 'digestMultibase', parseMultibase),
  ];
  if (claimed.length === 0) throw malformed('each must have digestSRI or digestMultibase');
  return { id, claimed };
}

const mismatch = (url: string) =>
  vcdmFailure('vc_related_resource_mismatch', `relatedResource: the digest is not that of ${url.slice(0, 200)}`);

function checkBundled({ id, claimed }: Related): void {
  const known = KNOWN.get(id);
  for (const { algorithm, bytes } of known ? claimed : []) {
    if (known?.[algorithm] !== Buffer.from(bytes).toString('hex')) throw mismatch(id);
  }
}

/**
 * Checks `relatedResource` (VCDM 2.0 §5.3): objects with an absolute URL in `id`, no two with the same, each with a
 * digest; those of the contexts that are part of this program must be right. Throws `vc_related_resource_malformed` and
 * `vc_related_resource_mismatch`.
 */
export function checkRelatedResources(resources: readonly JsonValue[]): void {
  if (resources.length > MAX_RESOURCES) throw malformed(`there may be at most ${MAX_RESOURCES}`);
  const related = resources.map(relatedResource);
  if (new Set(related.map(({ id }) => id)).size < related.length) throw malformed('each id must occur once');
  related.forEach(checkBundled);
}

/** The texts that the document at an address may have; none for one that is not known. It never uses the network. */
export type FindTexts = (url: string) => Promise<readonly string[]>;

const isDigestOf = ({ algorithm, bytes }: Claimed, text: string) =>
  createHash(algorithm).update(text, 'utf8').digest().equals(bytes);

/**
 * Compares the digests of the resources that are known, but not part of this program: each must be that of one of the
 * texts. What is not known is not judged. Throws `vc_related_resource_mismatch`.
 */
export async function checkRelatedDigests(documents: readonly JsonObject[], findTexts: FindTexts): Promise<void> {
  const resources = documents.flatMap((document) => {
    const value = ownMember(document, 'relatedResource');
    // Null, which no signature covers, is judged by the graph.
    return (Array.isArray(value) ? value : [value ?? null]).filter((item) => item !== null);
  });
  for (const { id, claimed } of resources.map(relatedResource)) {
    const texts = KNOWN.has(id) ? [] : await findTexts(id);
    if (texts.length > 0 && !texts.some((text) => claimed.every((one) => isDigestOf(one, text)))) throw mismatch(id);
  }
}
