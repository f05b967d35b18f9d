import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import type { OperationExample } from './openapi-examples';
import { PROBLEM_TYPE } from './openapi-parts';
import { describeSchema } from './schema-description';

interface MediaType {
  schema: object;
  example?: object;
}

/** The parts of an operation that are completed here. */
export interface Operation {
  operationId?: string;
  tags?: readonly string[];
  deprecated?: boolean;
  parameters?: { name: string; required?: boolean; schema: { enum?: readonly string[] } }[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
}

export const JSON_TYPE = 'application/json';

/** Adds its example to a response or, for an error, sets its actual media type. */
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

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : referencesIn(part)));
}

/** Removes every named schema that nothing refers to. */
export function prune(document: OpenAPIObject): void {
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

/** A subset of a listener's routes, described as one API. */
export interface Part {
  readonly title: string;
  readonly about: string;
  readonly version: string;
  readonly examples: Examples;
  readonly includes: (operation: Operation) => boolean;
}

/** The description of one part of the listener's routes, with their examples. */
export function describePart(app: INestApplication, part: Part): OpenAPIObject {
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
  // Some of it is shared with the decorators and with every other description.
  const document = structuredClone(whole);
  for (const [path, methods] of Object.entries(document.paths)) {
    const operations = Object.values(methods) as Operation[];
    if (operations.every(part.includes)) for (const operation of operations) complete(operation, part.examples);
    else delete document.paths[path];
  }
  prune(document);
  return document;
}

/** A description of an API in the OpenAPI format. */
export interface ApiDocument {
  /** The name of its file: `docs/openapi/<name>.json`. */
  readonly name: string;
  /** The path on the management listener, without the leading slash. */
  readonly servedAt: string;
  describe(app: INestApplication, version: string): OpenAPIObject;
}

/** Serves descriptions on the listener that has the routes. */
export function serveApiDocuments(app: INestApplication, documents: readonly ApiDocument[], version: string): void {
  for (const { name, servedAt, describe } of documents) {
    SwaggerModule.setup(`openapi/${name}`, app, () => describe(app, version), {
      ui: false,
      raw: ['json'],
      jsonDocumentUrl: servedAt,
    });
  }
}
