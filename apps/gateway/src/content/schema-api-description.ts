import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { API_VERSIONS, previousDraftCreateBody, type ApiVersion } from '@vestibule/contracts';
import { describePart, JSON_TYPE, prune, type ApiDocument, type Operation } from '../http/openapi';
import { describeSchema } from '../http/schema-description';
import { VERSION_HEADER } from './api-version.pipe';
import { SCHEMA_API_TAGS } from './schema-api';
import { schemaExamples } from './schema-api-examples';

/** Does this operation belong to the schema and draft API, which has its own versions and descriptions? */
export const isSchemaOperation = ({ tags = [] }: Operation): boolean =>
  SCHEMA_API_TAGS.some((tag) => tags.includes(tag));

/** How a client selects a version: the current one without a header, the previous one only with it. */
function askFor(version: ApiVersion, operation: Operation): void {
  const header = operation.parameters?.find(({ name }) => name === VERSION_HEADER);
  const previous = version !== API_VERSIONS[0];
  if (header) Object.assign(header, { required: previous, schema: { type: 'string', enum: [version] } });
  if (previous) operation.deprecated = true;
}

/** A draft of the previous version has plain values, and so a different body. */
function withPreviousDraft(document: OpenAPIObject, operations: readonly Operation[]): void {
  const { components } = describeSchema(previousDraftCreateBody, 'input');
  Object.assign(document.components?.schemas ?? {}, components);
  const question = operations.find(({ operationId }) => operationId === 'createDraft')?.requestBody?.content[JSON_TYPE];
  if (question) question.schema = { $ref: `#/components/schemas/${Object.keys(components).join()}` };
  prune(document);
}

/** The OpenAPI description of one version of the schema and draft API. */
const describeSchemaApi =
  (version: ApiVersion) =>
  (app: INestApplication): OpenAPIObject => {
    const document = describePart(app, {
      title: 'Vestibule schema and draft API',
      about: 'Claims schemas, credential drafts with their values, and the values of issued credentials.',
      version,
      examples: schemaExamples(version),
      includes: isSchemaOperation,
    });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
    for (const operation of operations) askFor(version, operation);
    if (version !== API_VERSIONS[0]) withPreviousDraft(document, operations);
    return document;
  };

/** One description for each version. */
export const SCHEMA_API_DOCUMENTS: readonly ApiDocument[] = API_VERSIONS.map((version) => ({
  name: `schemas-${version}`,
  servedAt: `openapi-schemas-${version}.json`,
  describe: describeSchemaApi(version),
}));
