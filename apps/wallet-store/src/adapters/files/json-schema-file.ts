import { DomainError, type JsonObject } from '@vestibule/foundation';
import { findSchemaFault } from '../json-schemas/check-json-schema';
import { isJsonSchema } from '../json-schemas/validate-document';
import { faultsSentence, readDocumentFile, type DocumentFile } from './document-file';

const JSON_SCHEMAS: DocumentFile = {
  what: 'JSON Schemas',
  broken(faults) {
    const detail = `the file in JSON_SCHEMAS_FILE is invalid: ${faultsSentence(faults)}`;
    return new DomainError({ kind: 'invalid', code: 'json_schema_file_invalid', detail, faults });
  },
  fault(url, document) {
    const found = findSchemaFault(document);
    if (found) return { path: found.path === '' ? url : `${url} ${found.path}`, message: found.message };
    const message = 'is not a JSON Schema of draft 2020-12';
    return isJsonSchema(document as JsonObject) ? undefined : { path: url, message };
  },
};

/**
 * The operator's list of JSON Schemas, `{address: schema}`, by which credentials are validated before they are signed.
 * Throws `json_schema_file_invalid` with every fault; without a file the list is empty.
 */
export function readJsonSchemaFile(file: string | undefined): Promise<ReadonlyMap<string, JsonObject>> {
  return readDocumentFile(file, JSON_SCHEMAS);
}
