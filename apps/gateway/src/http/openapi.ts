import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import { completeOperation, type Operation } from './openapi-completion';
import type { OperationExample } from './openapi-examples';
import { describeSchema } from './schema-description';

/** A description: OpenAPI 3.1, which the types of Nest do not know yet. */
export type ApiDescription = OpenAPIObject & { webhooks?: Record<string, object> };

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : referencesIn(part)));
}

/** Removes every named schema that nothing refers to, and sorts the others. */
function prune(document: ApiDescription): void {
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
  visit([document.paths, document.webhooks]);
  const kept = Object.entries(schemas).filter(([name]) => needed.has(name));
  kept.sort(([one], [other]) => (one < other ? -1 : 1));
  Object.assign(document, { components: { ...document.components, schemas: Object.fromEntries(kept) } });
}

const rewritten = (value: object): object =>
  JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/')) as object;

/** Adds schemas by their names, instead of those that have them. */
function addForms(document: ApiDescription, forms: readonly z.ZodType[], schemaType: 'input' | 'output'): void {
  for (const form of forms) {
    const { components } = describeSchema(form, schemaType);
    Object.assign(document.components?.schemas ?? {}, rewritten(components));
  }
}

/** A server, with its variables. */
export interface ServerDescription {
  readonly url: string;
  readonly description: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly description: string }>>;
}

/** A subset of a listener's routes, described as one API. */
export interface Part {
  readonly title: string;
  readonly about: string;
  readonly version: string;
  readonly servers: readonly ServerDescription[];
  /** The tags of its operations, with what they are about. */
  readonly tags: Readonly<Record<string, string>>;
  readonly examples: Readonly<Record<string, OperationExample>>;
  /** Bodies and answers in this part that differ from those of the routes, under the same names. */
  readonly forms?: readonly z.ZodType[];
  /** Calls to the backend, and the schemas that they refer to. */
  readonly webhooks?: { readonly calls: Readonly<Record<string, object>>; readonly events: readonly z.ZodType[] };
}

const SECURITY_SCHEMES = {
  bearerKey: { type: 'http', scheme: 'bearer', description: 'Only if the operator set `MANAGEMENT_KEY_DIGESTS`' },
  clientCertificate: { type: 'mutualTLS', description: 'Only if the operator set `MANAGEMENT_CLIENT_CA_FILE`' },
  apiKey: { type: 'apiKey', name: 'X-API-KEY', in: 'header', description: 'Belongs to a tenant' },
} as const;

/** Without a key, with a bearer key, or with a client certificate, as the operator configured the listener. */
const OF_MANAGEMENT = [{}, { bearerKey: [] }, { clientCertificate: [] }];

/** The members that both kinds of document begin with. */
export const documentHead = ({ title, about, version, servers, tags }: Omit<Part, 'examples'>) => ({
  openapi: '3.1.0',
  info: {
    title,
    description: about,
    version,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: structuredClone(servers) as ServerDescription[],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
});

type Methods = Record<string, Operation>;

function keepPart(document: ApiDescription, part: Part): void {
  for (const [path, methods] of Object.entries(document.paths) as unknown as [string, Methods][]) {
    const operations = Object.entries(methods);
    const isOfPart = operations.every(([, { tags = [] }]) => tags.every((tag) => Object.hasOwn(part.tags, tag)));
    if (!isOfPart) delete document.paths[path];
    else for (const [method, operation] of operations) completeOperation(operation, method, part.examples);
  }
}

/** The description of one part of the listener's routes, with their examples and failures. */
export function describePart(app: INestApplication, part: Part): ApiDescription {
  const whole = SwaggerModule.createDocument(app, new DocumentBuilder().build(), {
    standardSchemaConverter: (schema, { schemaType }) => describeSchema(schema as z.ZodType, schemaType) as never,
  });
  // Some of it is shared with the decorators and with every other description.
  const { paths, components } = structuredClone(whole);
  const document = { ...documentHead(part), paths, components } as unknown as ApiDescription;
  keepPart(document, part);
  Object.assign(document, { security: OF_MANAGEMENT });
  if (part.webhooks) document.webhooks = structuredClone(part.webhooks.calls) as Record<string, object>;
  addForms(document, part.forms ?? [], 'input');
  addForms(document, part.webhooks?.events ?? [], 'output');
  prune(document);
  const used = Object.entries(SECURITY_SCHEMES).filter(([name]) => usesScheme(document, name));
  Object.assign(document.components ?? {}, { securitySchemes: Object.fromEntries(used) });
  return document;
}

const usesScheme = ({ paths, security }: ApiDescription, name: string): boolean =>
  JSON.stringify([paths, security]).includes(`{"${name}":[]}`);

/** A description of an API in the OpenAPI format. */
export interface ApiDocument {
  /** The name of its file: `docs/openapi/<name>.json`. */
  readonly name: string;
  /** The path on the management listener, without the leading slash. */
  readonly servedAt: string;
  describe(app: INestApplication, version: string): ApiDescription;
}

/** What the descriptions of a running listener say beyond those in files. */
export interface Served {
  readonly version: string;
  /** Where the listener has the paths of its routes. */
  readonly addresses: ReadonlyMap<string, string>;
}

function atAddresses(description: ApiDescription, addresses: Served['addresses']): ApiDescription {
  const paths = Object.entries(description.paths).map(([path, item]) => [addresses.get(path) ?? path, item]);
  return { ...description, paths: Object.fromEntries(paths) as ApiDescription['paths'] };
}

/** Serves descriptions on the listener that has the routes. */
export function serveApiDocuments(
  app: INestApplication,
  documents: readonly ApiDocument[],
  { version, addresses }: Served,
): void {
  for (const { name, servedAt, describe } of documents) {
    SwaggerModule.setup(`openapi/${name}`, app, () => atAddresses(describe(app, version), addresses), {
      ui: false,
      raw: ['json'],
      jsonDocumentUrl: servedAt,
    });
  }
}
