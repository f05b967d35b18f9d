import { contexts as credentialContexts } from '@digitalbazaar/credentials-context';
import type { DocumentLoader } from '@digitalbazaar/vc';
import type { JsonObject } from '@vestibule/foundation';
import { resolveDidKey } from './did-key';
import { vcdmFailure } from './failures';

/** A JSON-LD context by its address, or undefined where it is not known. It never reaches out for one. */
export type FindContext = (url: string) => Promise<JsonObject | undefined>;

const MAX_URL_IN_SENTENCE = 200;

/** Is the context part of this program, so that nobody need be asked for it? */
export function isBundledContext(url: string): boolean {
  return credentialContexts.has(url);
}

/** What a document needed and could not get: the libraries wrap errors of a loader, so they are kept here. */
export interface OfflineLoader {
  readonly load: DocumentLoader;
  /** The reason why the last document failed for want of another one; undefined when it did not. */
  missing(): Error | undefined;
}

function unknownContext(url: string): Error {
  const shown = url.length > MAX_URL_IN_SENTENCE ? `${url.slice(0, MAX_URL_IN_SENTENCE)}…` : url;
  return vcdmFailure('vc_context_unknown', `the context ${shown} is not known here; contexts are never fetched`);
}

/** Loads bundled contexts, those that `findContext` knows, and did:key documents; nothing else, and never by network. */
export function createOfflineLoader(findContext: FindContext): OfflineLoader {
  let missing: Error | undefined;
  const refuse = (error: Error): never => {
    missing ??= error;
    throw error;
  };
  return {
    missing: () => missing,
    async load(url) {
      const bundled = credentialContexts.get(url);
      if (bundled) return { documentUrl: url, document: bundled, tag: 'static' };
      if (url.startsWith('did:')) {
        const document = resolveDidKey(url) ?? refuse(vcdmFailure('vc_key_unresolvable'));
        return { documentUrl: url, document };
      }
      const document = (await findContext(url)) ?? refuse(unknownContext(url));
      return { documentUrl: url, document };
    },
  };
}
