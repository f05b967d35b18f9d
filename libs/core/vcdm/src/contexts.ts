import { contexts as bundled } from '@digitalbazaar/credentials-context';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { vcdmFailure } from './failures';
import type { FindTexts } from './related-resources';

/** Returns a JSON-LD context document by its address, or undefined if it is unknown. It never uses the network. */
export type FindContext = (url: string) => Promise<JsonObject | undefined>;

/**
 * The contexts that documents may have, besides the bundled ones: the operator or this program vouches for their
 * meaning.
 */
export interface KnownContexts {
  readonly find: FindContext;
  /** Is it, byte for byte, a context that this program writes into a credential with this id? */
  readonly isOwn: (context: JsonObject, credentialId: string) => boolean;
  /** The texts of contexts and other documents that are known, to compare the digests of related resources with. */
  readonly findTexts: FindTexts;
}

/** Contexts by address: all that a document needs, but for the bundled ones. */
export type ContextDocuments = ReadonlyMap<string, JsonObject>;

/**
 * Limits for the contexts of one document, because all of them are kept in memory while the document waits, and copied
 * to its thread.
 */
export const CONTEXT_LIMITS = {
  /** In one `@context`. */
  maxContexts: 32,
  /** The maximum number of addresses to look up. */
  maxAddresses: 256,
  /** Of these together: UTF-16 units of their JSON. */
  maxLength: 2_097_152,
} as const;
const MAX_URL_IN_SENTENCE = 200;

/** A context that is part of this program, so that no lookup is needed. */
export function findBundledContext(url: string): JsonObject | undefined {
  return bundled.get(url) as JsonObject | undefined;
}

/** Is the context part of this program? */
export function isBundledContext(url: string): boolean {
  return bundled.has(url);
}

/** `vc_context_unknown`, with the address where the context has one. */
export function unknownContext(url?: string): Error {
  if (url === undefined) return vcdmFailure('vc_context_unknown', 'a context embedded in the document is unknown');
  const shown = url.length > MAX_URL_IN_SENTENCE ? `${url.slice(0, MAX_URL_IN_SENTENCE)}…` : url;
  return vcdmFailure('vc_context_unknown', `the context ${shown} is unknown; contexts are never fetched`);
}

/** The addresses in the `@context` of a credential or presentation; what stands there itself must be one of our own. */
function addressesIn(root: JsonObject, { isOwn }: KnownContexts, id: JsonValue | undefined): string[] {
  const contexts = ownMember(root, '@context');
  if (!Array.isArray(contexts)) throw vcdmFailure('vc_malformed', '@context must be an array');
  if (contexts.length > CONTEXT_LIMITS.maxContexts)
    throw vcdmFailure('vc_malformed', `@context must have at most ${CONTEXT_LIMITS.maxContexts} elements`);
  return contexts.flatMap((context) => {
    if (typeof context === 'string') return [context];
    if (!isJsonObject(context) || typeof id !== 'string' || !isOwn(context, id)) throw unknownContext();
    return [];
  });
}

/** The contexts that a context document leads to: those that it names, those of its terms, and what it imports. */
function referencesOf(value: JsonValue | undefined, base: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesOf(item, base));
  if (typeof value === 'string') return [absolute(value, base)];
  if (!isJsonObject(value)) return [];
  const imported = referencesOf(ownMember(value, '@import'), base);
  const scoped = Object.values(value).flatMap((term) =>
    isJsonObject(term) ? referencesOf(ownMember(term, '@context'), base) : [],
  );
  return [...imported, ...scoped];
}

function absolute(url: string, base: string): string {
  if (url.includes(':')) return url;
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}

/**
 * Every context that documents need, by address; the bundled ones are left out. `credentials` may have contexts of our
 * own in them, `presentation` may not. Throws `vc_context_unknown`, `vc_too_complex`, and `vc_malformed` for
 * what is no list of contexts.
 */
export async function resolveContexts(
  { presentation, credentials }: { readonly presentation?: JsonObject; readonly credentials: readonly JsonObject[] },
  known: KnownContexts,
): Promise<ContextDocuments> {
  const open = [
    ...(presentation ? addressesIn(presentation, known, undefined) : []),
    ...credentials.flatMap((credential) => addressesIn(credential, known, ownMember(credential, 'id'))),
  ];
  const { maxAddresses, maxLength } = CONTEXT_LIMITS;
  const found = new Map<string, JsonObject>();
  let length = 0;
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (found.has(url) || isBundledContext(url)) continue;
    if (found.size === maxAddresses)
      throw vcdmFailure('vc_too_complex', `the document leads to more than ${maxAddresses} contexts`);
    const document = await known.find(url);
    if (!document) throw unknownContext(url);
    length += JSON.stringify(document).length;
    if (length > maxLength) throw vcdmFailure('vc_too_complex', 'the contexts that the document leads to are too long');
    found.set(url, document);
    open.push(...referencesOf(ownMember(document, '@context'), url));
  }
  return found;
}
