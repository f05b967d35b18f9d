import {
  API_VERSIONS,
  draftCreateBody,
  draftIssueBody,
  draftSearchBody,
  previousDraftCreateBody,
  resourcePage,
  resourceView,
  schemaCreateBody,
} from '@vestibule/contracts';
import { isJsonObject, VERSION, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { startGateway, type Gateway } from '../testing/gateway.stage';
import { API_DOCUMENTS, describeManagementApi } from '../api-documents';
import { describeApis } from '../describe-apis';
import { EXAMPLES, type OperationExample } from './openapi-examples';
import { schemaExamples } from '../content/schema-api-examples';

interface Media {
  readonly schema: JsonObject;
  readonly example?: JsonValue;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: JsonObject }[];
  readonly requestBody?: { required: boolean; content: Record<string, Media> };
  readonly responses: Record<string, { description: string; content: Record<string, Media> }>;
}

let gateway: Gateway;
let document: JsonObject & { paths: Record<string, Record<string, Operation>> };
let operations: { route: string; operation: Operation }[];

beforeAll(async () => {
  gateway = await startGateway();
  document = JSON.parse(JSON.stringify(describeManagementApi(gateway.managementApp, VERSION))) as typeof document;
  operations = Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${url}`, operation })),
  );
});
afterAll(() => gateway.close());

function references(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : references(part)));
}

/** Not what may be repeated without a key, because it changes nothing the second time, nor a retry, replay or test, which makes nothing. */
const creates = (route: string): boolean =>
  route.startsWith('POST') && !/\/(issue|present|retry|replay|test)$/.test(route);

function successStatus(route: string): string {
  if (/\/(issue|retry|replay|test)$/.test(route) || route === 'DELETE /api/wallet/v1/vp/{did}') return '200';
  const [method = ''] = route.split(' ', 1);
  return { POST: '201', DELETE: '204' }[method] ?? '200';
}

describe('the description of the management API', () => {
  it('is served by the management listener, and only there', async () => {
    const { status, headers, json } = await gateway.toManagement('/openapi.json');
    expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, 'application/json']);
    expect(json).toEqual(document);
    expect((await gateway.toPublic('/openapi.json')).status).toBe(404);
  });

  it('has, with that of schemas and drafts, every route of the listener and no other', async () => {
    const served = gateway.managementRoutes().map((route) => route.replace(/:(\w+)/g, '{$1}'));
    const routes = served.filter((route) => !/^GET \/(?:metrics|docs)(?:\/|$)/.test(route));
    expect(routes.length).toBeGreaterThan(10);
    const { 'schemas-0.40.11': schemas } = await describeApis(VERSION);
    const described = [document.paths, (schemas as typeof document).paths].flatMap((paths) =>
      Object.entries(paths).flatMap(([url, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${url}`),
      ),
    );
    expect(described.sort()).toEqual([...routes].sort());
  });

  it('names each operation once and says what it does', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { operation } of operations) {
      expect(operation.summary.length).toBeGreaterThan(10);
      expect(operation.tags).toHaveLength(1);
    }
  });

  it('has a schema and an example for each answer', () => {
    for (const { route, operation } of operations) {
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      const expected = successStatus(route);
      expect([route, ...successes]).toEqual([route, expected]);
      if (expected === '204') continue;
      const media = operation.responses[successes.join()]?.content['application/json'];
      expect(media?.schema).toBeDefined();
      expect(media?.schema).not.toEqual({});
      expect(media?.example).toEqual(EXAMPLES[operation.operationId]?.answer);
    }
  });

  it('has problem details for every error of an API, and 503 for what is not ready', () => {
    expect(document.paths['/health/ready']?.['get']?.responses).toHaveProperty('503');
    for (const { route, operation } of operations) {
      const failure = Object.keys(operation.responses['default']?.content ?? {});
      const isApi = operation.tags[0] !== 'Operations';
      expect([route, failure]).toEqual([route, isApi ? ['application/problem+json'] : []]);
    }
  });

  it('has the parameters of every path and query, with a type', () => {
    for (const { route, operation } of operations) {
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name);
      expect([route, described]).toEqual([route, inPath]);
      for (const one of operation.parameters)
        expect([one.name, typeof one.schema['type']]).toEqual([one.name, 'string']);
    }
    const list = operations.find(({ operation }) => operation.operationId === 'listCredentials')?.operation;
    const byName = Object.fromEntries(list?.parameters.map((one) => [one.name, one]) ?? []);
    expect(Object.keys(byName).sort()).toEqual(
      ['cursor', 'entityDid', 'getBodies', 'labelSelector', 'limit', 'queryMode', 'state', 'walletDid'].sort(),
    );
    expect(
      Object.values(byName)
        .filter((one) => one.required)
        .map((one) => one.name),
    ).toEqual(['entityDid', 'walletDid']);
    expect(byName['state']?.schema['enum']).toEqual(['draft', 'issued', 'abandoned']);
    expect(byName['limit']?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 1000 });
  });

  it('wants a body and takes an idempotency key where something is made of one', () => {
    for (const { route, operation } of operations) {
      const takesBody =
        (route.startsWith('POST') && !/\/(entity|wallet|present|retry|replay)$/.test(route)) ||
        route.startsWith('PATCH');
      expect([route, operation.requestBody?.required ?? false]).toEqual([route, takesBody]);
      const header = operation.parameters.find((one) => one.in === 'header');
      const expected = creates(route) ? 'Idempotency-Key' : /^PATCH .*\/vp\//.test(route) ? 'If-Match' : undefined;
      expect([route, header?.name]).toEqual([route, expected]);
      if (takesBody) expect(operation.requestBody?.content['application/json']?.example).toBeDefined();
    }
  });

  it('asks for an API key on the wallet content API, and nowhere else', () => {
    for (const { route, operation } of operations) {
      const expected = route.includes('/api/wallet/') ? [{ apiKey: [] }] : undefined;
      expect([route, operation.security]).toEqual([route, expected]);
    }
  });

  it('refers only to schemas that it has, and says what they require and refuse', () => {
    const { schemas } = document['components'] as { schemas: Record<string, JsonObject> };
    const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    const used = references(document);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((one) => !known.includes(one))).toEqual([]);
    expect(schemas['PresentationRequest']).toMatchObject({ required: ['dcql_query'], additionalProperties: false });
    expect(schemas['CredentialOffer']).toMatchObject({
      required: ['credential_configuration_id'],
      additionalProperties: false,
    });
    expect(schemas['CredentialOfferCreated']?.['required']).toEqual(['offer_id', 'credential_offer_uri']);
    expect(schemas['Problem']?.['required']).toEqual(['type', 'title', 'status', 'detail', 'code', 'instance']);
    // A member that a later version adds must not break a reader of answers.
    expect(schemas['PresentationRequestCreated']).not.toHaveProperty('additionalProperties');
  });
});

describe('the descriptions', () => {
  it('have a name and an address each, and are the same without a listener that is open', async () => {
    const described = JSON.parse(JSON.stringify(await describeApis(VERSION))) as JsonObject;
    expect(Object.keys(described)).toEqual(API_DOCUMENTS.map(({ name }) => name));
    expect(new Set(API_DOCUMENTS.map(({ servedAt }) => servedAt)).size).toBe(API_DOCUMENTS.length);
    for (const { name, servedAt } of API_DOCUMENTS) {
      expect(name).toMatch(/^[a-z0-9][a-z0-9.-]*$/);
      expect((await gateway.toManagement(`/${servedAt}`)).json).toEqual(described[name]);
      expect((await gateway.toPublic(`/${servedAt}`)).status).toBe(404);
    }
  });
});

describe.each(API_VERSIONS)('the description of schemas and drafts in version %s', (version) => {
  type Described = typeof document;
  let described: Described;
  const all = () => Object.entries(described.paths).flatMap(([, methods]) => Object.values(methods));
  beforeAll(async () => {
    described = JSON.parse(JSON.stringify((await describeApis(VERSION))[`schemas-${version}`])) as Described;
  });

  it('has every operation of the contract, with an answer, an example and problem details', () => {
    const examples = schemaExamples(version);
    expect(
      all()
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(Object.keys(examples).sort());
    for (const { operationId, responses, security } of all()) {
      const [status = ''] = Object.keys(responses).filter((one) => one.startsWith('2'));
      expect(responses[status]?.content['application/json']?.example).toEqual(examples[operationId]?.answer);
      expect(Object.keys(responses['default']?.content ?? {})).toEqual(['application/problem+json']);
      expect(security).toEqual([{ apiKey: [] }]);
    }
  });

  it('has examples that keep to their contracts', () => {
    const { createSchema, createDraft, issueDraft, searchDrafts, ...others } = schemaExamples(version);
    schemaCreateBody.parse(createSchema?.request);
    (version === '0.38.2' ? previousDraftCreateBody : draftCreateBody).parse(createDraft?.request);
    draftIssueBody.parse(issueDraft?.request);
    draftSearchBody.parse(searchDrafts?.request);
    for (const { answer } of [createSchema, createDraft, issueDraft, ...Object.values(others)] as OperationExample[]) {
      ('items' in answer ? resourcePage : resourceView).parse(answer);
    }
  });

  it('says how the version is asked for, refers only to schemas that it has, and says what is deprecated', () => {
    const known = Object.keys((described['components'] as { schemas: object }).schemas);
    expect(references(described).filter((one) => !known.includes(one.split('/').at(-1) ?? ''))).toEqual([]);
    for (const operation of all()) {
      const header = operation.parameters.find(({ name }) => name === 'X-Service-OAS-Version');
      expect(header?.required).toBe(version === '0.38.2');
      expect((operation as { deprecated?: boolean }).deprecated ?? false).toBe(version === '0.38.2');
    }
    const create = all().find(({ operationId }) => operationId === 'createDraft');
    expect(JSON.stringify(create?.requestBody).includes('"meta_schema"')).toBe(version === '0.40.11');
  });
});
