import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { isSchemaOperation, SCHEMA_API_DOCUMENTS } from './content/schema-api-description';
import { describePart, type ApiDocument } from './http/openapi';
import { EXAMPLES } from './http/openapi-examples';

/** The OpenAPI description of the management listener, without the schema and draft API. */
export function describeManagementApi(app: INestApplication, version: string): OpenAPIObject {
  return describePart(app, {
    title: 'Vestibule management API',
    about: 'Requests credentials from wallets and offers credentials to them. Internal: never expose this listener.',
    version,
    examples: EXAMPLES,
    includes: (operation) => !isSchemaOperation(operation),
  });
}

/** All descriptions; each is served by the management listener and written by `npm run docs`. */
export const API_DOCUMENTS: readonly ApiDocument[] = [
  { name: 'management', servedAt: 'openapi.json', describe: describeManagementApi },
  ...SCHEMA_API_DOCUMENTS,
];

/** What the page for readers offers: every description, by the name of its file. */
export const describedApis = () => API_DOCUMENTS.map(({ name, servedAt }) => ({ name, url: servedAt }));
