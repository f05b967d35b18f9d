import { DomainError, isJsonObject, type JsonObject } from '@vestibule/foundation';
import { isBundledContext } from '@vestibule/vcdm';
import { faultsSentence, readDocumentFile, type DocumentFile } from './document-file';

const CONTEXTS: DocumentFile = {
  what: 'contexts',
  broken(faults) {
    const detail = `the file in JSON_LD_CONTEXTS_FILE is invalid: ${faultsSentence(faults)}`;
    return new DomainError({ kind: 'invalid', code: 'context_file_invalid', detail, faults });
  },
  fault(url, document) {
    if (isBundledContext(url)) return { path: url, message: 'is a built-in context' };
    const hasContext = isJsonObject(document) && Object.hasOwn(document, '@context');
    return hasContext ? undefined : { path: url, message: 'must be a JSON object with a member @context' };
  },
};

/**
 * The operator's allow-list of JSON-LD contexts, `{address: document}`. A context that is not in it stays unknown:
 * nothing is fetched. Throws `context_file_invalid` with every fault; without a file the list is empty.
 */
export function readContextFile(file: string | undefined): Promise<ReadonlyMap<string, JsonObject>> {
  return readDocumentFile(file, CONTEXTS);
}
