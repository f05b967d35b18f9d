import {
  API_VERSIONS,
  BACKEND_ERRORS,
  draftCreateBody,
  draftIssueBody,
  draftSearchBody,
  previousDraftCreateBody,
  resourcePage,
  resourceView,
  SCHEMA_ERRORS,
  schemaCreateBody,
  storedCredentialStatus,
  storedCredentialStatusBody,
} from '@vestibule/contracts';
import { isJsonObject, VERSION, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { API_DOCUMENTS } from '../api-documents';
import { schemaExamples } from '../content/schema-api-examples';
import { describeApis } from '../describe-apis';
import { startGateway, type Gateway } from '../testing/gateway.stage';
import { EXAMPLES, type OperationExample } from './openapi-examples';

interface Media {
  readonly schema: JsonObject;
  readonly example?: JsonValue;
}
interface Answer {
  readonly description: string;
  readonly content?: Record<string, Media>;
  readonly 'x-codes'?: readonly string[];
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security?: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: JsonObject }[];
  readonly requestBody?: { required: boolean; content: Record<string, Media> };
  readonly responses: Record<string, Answer>;
}
type Document = JsonObject & {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks?: Record<string, { readonly post: Operation }>;
  readonly components: { readonly schemas: Record<string, JsonObject> };
};
interface Named {
  readonly document: string;
  readonly route: string;
  readonly operation: Operation;
}

const DID = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169';
const CURRENT = `wallet-content-${API_VERSIONS[0]}`;
const FOR_BACKENDS = ['management', ...API_VERSIONS.map((version) => `wallet-content-${version}`)];

let gateway: Gateway;
let documents: Readonly<Record<string, Document>>;
beforeAll(async () => {
  gateway = await startGateway();
  documents = JSON.parse(JSON.stringify(await describeApis(VERSION))) as typeof documents;
});
afterAll(() => gateway.close());

const documentOf = (name: string) => documents[name] as Document;
const operationsOf = (...names: readonly string[]): Named[] =>
  names.flatMap((document) =>
    Object.entries(documentOf(document).paths).flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        document,
        route: `${method.toUpperCase()} ${url}`,
        operation,
      })),
    ),
  );
const operationOf = (document: string, id: string) =>
  operationsOf(document).find(({ operation }) => operation.operationId === id)?.operation as Operation;
const routesOf = (...names: readonly string[]) => [...new Set(operationsOf(...names).map(({ route }) => route))].sort();

function references(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : references(part)));
}

const SCHEMA_ROUTES = /^[A-Z]+ \/schemas\/\{tenant\}/;
const asDescribed = (routes: readonly string[]) => routes.map((route) => route.replace(/:(\w+)/g, '{$1}'));

describe('17.10: the API descriptions', () => {
  it('are one for each audience and version, in OpenAPI 3.1, served by the management listener alone', async () => {
    expect(Object.keys(documents)).toEqual(['management', CURRENT, `wallet-content-${API_VERSIONS[1]}`, 'public']);
    expect(new Set(API_DOCUMENTS.map(({ servedAt }) => servedAt)).size).toBe(API_DOCUMENTS.length);
    for (const { name, servedAt } of API_DOCUMENTS) {
      expect(documentOf(name)['openapi']).toBe('3.1.0');
      const { status, headers, json } = await gateway.toManagement(`/${servedAt}`);
      expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, 'application/json']);
      expect(json).toEqual(documents[name]);
      expect((await gateway.toPublic(`/${servedAt}`)).status).toBe(404);
    }
  });

  it('have, together, every route of each listener and no other', () => {
    const management = asDescribed(gateway.managementRoutes()).filter((route) => !/ \/(?:metrics|docs)/.test(route));
    expect(routesOf('management', CURRENT)).toEqual([...management].sort());
    const content = routesOf(CURRENT);
    const forWallets = asDescribed(gateway.publicRoutes()).filter(
      (route) => SCHEMA_ROUTES.test(route) || !content.includes(route),
    );
    expect(routesOf('public')).toEqual([...new Set(forWallets)].sort());
  });

  it('have summaries in plain text, for readers show them as they are', () => {
    const summaries = Object.keys(documents).flatMap((name) =>
      operationsOf(name).map(({ operation }) => operation.summary),
    );
    expect(summaries.length).toBeGreaterThan(60);
    // An underscore within a name is no markup.
    for (const summary of summaries) expect(summary).toMatch(/^[A-Z](?:[^`*_]|(?<=\w)_(?=\w))+$/);
  });

  it('W:4.10 name each operation once, and those of the contract by its names', () => {
    for (const name of Object.keys(documents)) {
      const ids = operationsOf(name).map(({ operation }) => operation.operationId);
      expect(new Set(ids).size).toBe(ids.length);
    }
    const ofContract = {
      SchemaCreate: 'POST /schemas',
      SchemaPublish: 'PATCH /schemas/{id}/publish',
      SchemaSearch: 'POST /schemas/search',
      PublishedSchemaSearch: 'POST /published-schemas/search',
      GetCredentialClaimValues: 'GET /credentials/{id}/values',
      DraftCreate: 'POST /drafts',
      DraftUpdate: 'PATCH /drafts/{id}',
      DraftSearch: 'POST /drafts/search',
      CredentialListV1: 'GET /api/wallet/v1/credentials',
    };
    for (const document of FOR_BACKENDS.slice(1)) {
      const routes = operationsOf(document).map(({ route, operation }) => [operation.operationId, route]);
      expect(Object.fromEntries(routes)).toMatchObject(ofContract);
    }
    const { schemas } = documentOf(CURRENT).components;
    for (const name of ['ClaimsSchema', 'MetaSchema', 'ResourceDraft', 'DraftCreateRequest', 'DraftUpdateRequest'])
      expect(schemas).toHaveProperty(name);
  });

  it('say that a claims schema, and a claim of kind OBJECT, has fields', () => {
    const { schemas } = documentOf(CURRENT).components as unknown as { schemas: Record<string, unknown> };
    expect(schemas['ClaimsSchema']).toMatchObject({ required: ['fields'] });
    const { oneOf } = schemas['ClaimField'] as { oneOf: { properties: { kind: { enum: string[] } } }[] };
    const object = oneOf.find(({ properties }) => properties.kind.enum.includes('OBJECT'));
    expect(object).toMatchObject({ properties: { value: { required: ['fields'] } } });
  });

  it('say what each operation does, and have a schema and an example for each answer to a backend', () => {
    for (const { route, document, operation } of operationsOf(...Object.keys(documents))) {
      expect([route, operation.summary.length > 10, operation.tags.length]).toEqual([route, true, 1]);
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      if (document === 'public') continue;
      expect([route, successes.length]).toEqual([route, 1]);
      if (successes[0] === '204') continue;
      const media = operation.responses[successes.join()]?.content?.['application/json'];
      expect([route, Object.keys(media?.schema ?? {}).length > 0]).toEqual([route, true]);
      expect([route, media?.example !== undefined]).toEqual([route, true]);
      const asks = operation.requestBody?.content['application/json'];
      if (asks) expect([route, asks.example !== undefined]).toEqual([route, true]);
    }
  });

  it('have every failure by its status, with the codes of its table, no default, and 412 only for If-Match', () => {
    const tables: Readonly<Record<string, { readonly status?: number }>> = { ...BACKEND_ERRORS, ...SCHEMA_ERRORS };
    for (const { route, operation } of operationsOf(...FOR_BACKENDS)) {
      expect(operation.responses).not.toHaveProperty('default');
      const takesTag = operation.parameters?.some(({ name }) => name === 'If-Match') ?? false;
      expect([route, '412' in operation.responses]).toEqual([route, takesTag]);
      if (operation.tags[0] === 'Operations') continue;
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '500', '503']));
      for (const [status, { content, description, 'x-codes': all = [] }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        // The same schema everywhere, so that a client reads codes that it does not know.
        expect(content?.['application/problem+json']?.schema).toEqual({ $ref: '#/components/schemas/Problem' });
        expect(all.length).toBeGreaterThan(0);
        expect(description).toContain(all.map((code) => `\`${code}\``).join(', '));
        const codes = all.filter((code) => tables[code]);
        const stated = codes.map((code) => tables[code]?.status);
        expect([route, status, ...stated]).toEqual([route, status, ...codes.map(() => Number(status))]);
      }
    }
    const create = operationOf('management', 'createCredentialOffer').responses;
    expect(JSON.stringify(create['409'])).toContain('"x-codes":["idempotency_conflict"]');
    expect(JSON.stringify(create['400'])).toContain('"unknown_credential_configuration"');
    const draft = operationOf(CURRENT, 'DraftUpdate').responses;
    expect(Object.keys(draft)).toEqual(expect.arrayContaining(['200', '404', '409', '413', '415', '429']));
    expect(JSON.stringify(draft['412'])).toContain('"x-codes":["revision_mismatch"]');
  });

  it('know which body may be absent: an absent one is refused where it is required, and nowhere else', async () => {
    const bodies = operationsOf('management', CURRENT).filter(({ operation }) => operation.requestBody);
    expect(bodies.length).toBeGreaterThan(10);
    for (const { route, operation } of bodies) {
      const [method = '', url = ''] = route.split(' ');
      const path = url.replaceAll(/\{\w+\}/g, /offer|schemas/.test(url) ? 'A'.repeat(24) : DID);
      const { status, text } = await gateway.toManagement(path, { method, headers: [['x-api-key', 'a-key']] });
      const isRefused = status === 400 && /body|must be|Required|invalid/i.test(text) && !text.includes('entityDid');
      expect([route, isRefused]).toEqual([route, operation.requestBody?.required]);
    }
  });

  it('have the parameters of every path and query, with a type, and refer only to what they have', () => {
    for (const { route, operation } of operationsOf(...Object.keys(documents))) {
      const { parameters = [] } = operation;
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      const described = parameters.filter((one) => one.in === 'path').map((one) => one.name);
      expect([route, described.sort()]).toEqual([route, inPath]);
      for (const one of parameters) expect([one.name, typeof one.schema['type']]).toEqual([one.name, 'string']);
    }
    for (const document of Object.values(documents)) {
      const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
      const used = new Set(references(document));
      expect([...used].filter((one) => !known.includes(one))).toEqual([]);
      expect(known.filter((one) => !used.has(one))).toEqual([]);
    }
    const byName = new Map(operationOf(CURRENT, 'CredentialListV1').parameters?.map((one) => [one.name, one]));
    expect([...byName.values()].filter((one) => one.required).map(({ name }) => name)).toEqual([
      'entityDid',
      'walletDid',
    ]);
    expect(byName.get('limit')?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 1000 });
  });

  it('ask for an API key on everything of tenants, and nowhere else', () => {
    for (const { route, operation } of operationsOf('management'))
      expect([route, operation.security]).toEqual([route, undefined]);
    for (const { operation } of operationsOf(...FOR_BACKENDS.slice(1)))
      expect(operation.security).toEqual([{ apiKey: [] }]);
    expect(documentOf('management')['security']).toEqual([{}, { bearerKey: [] }, { clientCertificate: [] }]);
  });

  it('type the query, the claims, the values and what resources hold; answers may get further members', () => {
    const { schemas } = documentOf('management').components;
    expect(schemas['PresentationRequest']).toMatchObject({ required: ['dcql_query'], additionalProperties: false });
    expect(schemas['DcqlQuery']).toMatchObject({ required: ['credentials'] });
    expect(schemas['CredentialOffer']).toMatchObject({ required: ['credential_configuration_id'] });
    expect(schemas['Problem']?.['required']).toEqual(['type', 'title', 'status', 'detail', 'code', 'instance']);
    expect(schemas['PresentationRequestCreated']).not.toHaveProperty('additionalProperties');
    const value = documentOf(CURRENT).components.schemas['ClaimValue'] as { oneOf: { properties: { kind: object } }[] };
    expect(value.oneOf.map(({ properties }) => JSON.stringify(properties.kind))).toHaveLength(10);
    expect(JSON.stringify(documentOf(CURRENT).components.schemas['ResourceDraft'])).toContain(
      '#/components/schemas/ClaimValues',
    );
  });
});

describe.each(API_VERSIONS)('the description of schemas and drafts in version %s', (version) => {
  const name = `wallet-content-${version}`;
  const versioned = () =>
    operationsOf(name).filter(({ operation }) =>
      operation.parameters?.some((one) => one.name === 'X-Service-OAS-Version'),
    );

  it('has examples that keep to their contracts', () => {
    const { CredentialStatusGet, CredentialStatusChange, ...examples } = schemaExamples(version);
    const { SchemaCreate, DraftCreate, DraftIssue, DraftSearch, ...others } = examples;
    storedCredentialStatusBody.parse(CredentialStatusChange?.request);
    for (const one of [CredentialStatusGet, CredentialStatusChange]) storedCredentialStatus.parse(one?.answer);
    schemaCreateBody.parse(SchemaCreate?.request);
    (version === '0.38.2' ? previousDraftCreateBody : draftCreateBody).parse(DraftCreate?.request);
    draftIssueBody.parse(DraftIssue?.request);
    draftSearchBody.parse(DraftSearch?.request);
    for (const { answer } of [SchemaCreate, DraftCreate, DraftIssue, ...Object.values(others)] as OperationExample[]) {
      ('items' in answer ? resourcePage : resourceView).parse(answer);
    }
    expect(Object.keys({ ...EXAMPLES, ...schemaExamples(version) })).toEqual(
      expect.arrayContaining(operationsOf(name).map(({ operation }) => operation.operationId)),
    );
  });

  it('says how the version is asked for, what is deprecated, and what differs', () => {
    expect(versioned().length).toBeGreaterThanOrEqual(11);
    for (const { operation } of versioned()) {
      const header = operation.parameters?.find((one) => one.name === 'X-Service-OAS-Version');
      expect([header?.required, header?.schema['enum']]).toEqual([version === '0.38.2', [version]]);
      expect(operation.deprecated ?? false).toBe(version === '0.38.2');
      expect('410' in operation.responses).toBe(version === '0.38.2');
    }
    const { schemas } = documentOf(name).components;
    expect(JSON.stringify(schemas['DraftCreateRequest']).includes('"meta_schema"')).toBe(version === '0.40.11');
    expect(JSON.stringify(schemas['ResourceDraft']).includes('"json_ld_vocabs"')).toBe(version === '0.40.11');
  });
});
