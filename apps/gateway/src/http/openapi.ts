import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import { EXAMPLES } from './openapi-examples';
import { PROBLEM_TYPE } from './openapi-parts';
import { describeSchema } from './schema-description';

interface MediaType {
  schema: object;
  example?: object;
}

interface Operation {
  operationId?: string;
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

function complete(operation: Operation): void {
  const example = EXAMPLES[operation.operationId ?? ''];
  const question = operation.requestBody?.content[JSON_TYPE];
  if (question && example?.request) question.example = example.request;
  for (const [status, { content }] of Object.entries(operation.responses)) {
    completeResponse(status, content ?? {}, example?.answer);
  }
}

/** The OpenAPI description of the management listener. */
export function describeManagementApi(app: INestApplication, version: string): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle('Vestibule management API')
    .setDescription('What a backend asks wallets for and gives to them. Internal: never expose this listener.')
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addApiKey({ type: 'apiKey', name: 'X-API-KEY', in: 'header' }, 'apiKey')
    .build();
  const document = SwaggerModule.createDocument(app, description, {
    standardSchemaConverter: (schema, { schemaType }) => describeSchema(schema as z.ZodType, schemaType) as never,
  });
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) complete(operation as Operation);
  }
  return document;
}

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
