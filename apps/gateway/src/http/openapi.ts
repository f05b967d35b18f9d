import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { API_VERSIONS, previousDraftCreateBody, type ApiVersion } from '@vestibule/contracts';
import type { z } from 'zod';
import { VERSION_HEADER } from '../content/api-version';
import { EXAMPLES, type OperationExample } from './openapi-examples';
import { schemaExamples } from './openapi-schema-examples';
import { PROBLEM_TYPE } from './openapi-parts';
import { describeSchema } from './schema-description';

interface MediaType {
  schema: object;
  example?: object;
}

interface Operation {
  operationId?: string;
  tags?: readonly string[];
  deprecated?: boolean;
  parameters?: { name: string; required?: boolean; schema: { enum?: readonly string[] } }[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
}

const JSON_TYPE = 'application/json';

/** Gives a response its example, or, to an error, the media type that it really has. */
function completeResponse(status: string, content: Record<string, MediaType>, answer: object | undefined): void {
  const media = content[JSON_TYPE];
  if (!media) return;
  if (status.startsWith('2') && answer) media.example = answer;
  if (status !== 'default') return;
  content[PROBLEM_TYPE] = media;
  delete content[JSON_TYPE];
}

type Examples = Readonly<Record<string, OperationExample>>;

function complete(operation: Operation, examples: Examples): void {
  const example = examples[operation.operationId ?? ''];
  const question = operation.requestBody?.content[JSON_TYPE];
  if (question && example?.request) question.example = example.request;
  for (const [status, { content }] of Object.entries(operation.responses)) {
    completeResponse(status, content ?? {}, example?.answer);
  }
}

/** Tags of the schema and draft API, which has versions and descriptions of its own. */
const SCHEMA_TAGS = ['Schemas', 'Drafts'];

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : referencesIn(part)));
}

/** Leaves out every named schema that nothing refers to. */
function prune(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  const needed = new Set<string>();
  const visit = (value: unknown): void => {
    for (const reference of referencesIn(value)) {
      const name = reference.slice('#/components/schemas/'.length);
      if (needed.has(name)) continue;
      needed.add(name);
      visit(schemas[name]);
    }
  };
  visit(document.paths);
  for (const name of Object.keys(schemas)) if (!needed.has(name)) delete schemas[name];
}

interface Part {
  readonly title: string;
  readonly about: string;
  readonly version: string;
  readonly examples: Examples;
  readonly includes: (operation: Operation) => boolean;
}

/** A description of those routes of the listener that belong to a part, with their examples. */
function describePart(app: INestApplication, part: Part): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle(part.title)
    .setDescription(part.about)
    .setVersion(part.version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addApiKey({ type: 'apiKey', name: 'X-API-KEY', in: 'header' }, 'apiKey')
    .build();
  const whole = SwaggerModule.createDocument(app, description, {
    standardSchemaConverter: (schema, { schemaType }) => describeSchema(schema as z.ZodType, schemaType) as never,
  });
  // Parts of it belong to the decorators, and to every other description.
  const document = structuredClone(whole);
  for (const [path, methods] of Object.entries(document.paths)) {
    const operations = Object.values(methods) as Operation[];
    if (operations.every(part.includes)) for (const operation of operations) complete(operation, part.examples);
    else delete document.paths[path];
  }
  prune(document);
  return document;
}

const isSchemaOperation = ({ tags = [] }: Operation): boolean => tags.some((tag) => SCHEMA_TAGS.includes(tag));

/** The OpenAPI description of the management listener, without the schema and draft API. */
export function describeManagementApi(app: INestApplication, version: string): OpenAPIObject {
  return describePart(app, {
    title: 'Vestibule management API',
    about: 'What a backend asks wallets for and gives to them. Internal: never expose this listener.',
    version,
    examples: EXAMPLES,
    includes: (operation) => !isSchemaOperation(operation),
  });
}

/** How a version is asked for: the current one without a header, the previous one only with it. */
function askFor(version: ApiVersion, operation: Operation): void {
  const header = operation.parameters?.find(({ name }) => name === VERSION_HEADER);
  const previous = version !== API_VERSIONS[0];
  if (header) Object.assign(header, { required: previous, schema: { type: 'string', enum: [version] } });
  if (previous) operation.deprecated = true;
}

/** A draft of the previous version has plain values, and another body therefore. */
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
      about: 'Schemas of claims, drafts of credentials with values, and what they were issued from.',
      version,
      examples: schemaExamples(version),
      includes: isSchemaOperation,
    });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
    for (const operation of operations) askFor(version, operation);
    if (version !== API_VERSIONS[0]) withPreviousDraft(document, operations);
    return document;
  };

/** A description of an API in the OpenAPI format. */
export interface ApiDocument {
  /** Its file is `docs/openapi/<name>.json`. */
  readonly name: string;
  /** Where the management listener serves it, without the first slash. */
  readonly servedAt: string;
  describe(app: INestApplication, version: string): OpenAPIObject;
}

/** All of them; each is served by the management listener, and written by `npm run docs`. */
export const API_DOCUMENTS: readonly ApiDocument[] = [
  { name: 'management', servedAt: 'openapi.json', describe: describeManagementApi },
  ...API_VERSIONS.map((version) => ({
    name: `schemas-${version}`,
    servedAt: `openapi-schemas-${version}.json`,
    describe: describeSchemaApi(version),
  })),
];

/** Serves every description on the listener that has the routes. */
export function serveApiDocuments(app: INestApplication, version: string): void {
  for (const { name, servedAt, describe } of API_DOCUMENTS) {
    SwaggerModule.setup(`openapi/${name}`, app, () => describe(app, version), {
      ui: false,
      raw: ['json'],
      jsonDocumentUrl: servedAt,
    });
  }
}
