import { API_VERSIONS } from '@vestibule/contracts';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { isJsonObject } from '@vestibule/foundation';
import { startGateway, type Gateway } from '../testing/gateway.stage';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema; example?: JsonValue }>> };
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
type Path = readonly (string | number)[];

/** Null removes a member here (RFC 7396). */
const PATCHES = new Set(['SchemaUpdate', 'DraftUpdate', 'PresentationUpdateV1']);
const DOCUMENTS = ['openapi.json', ...API_VERSIONS.map((version) => `openapi-wallet-content-${version}.json`)];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ environment: { CALLBACK_ORIGINS: '' } });
});
afterAll(() => gateway.close());

/** Could the example have this form, by the members that can have one value only? */
const isPossible =
  (example: JsonValue | undefined) =>
  ({ properties = {} }: Schema): boolean =>
    Object.entries(properties).every(([name, { enum: values = [], const: only }]) => {
      const fixed = only ?? (values.length === 1 ? values[0] : undefined);
      return fixed === undefined || (isJsonObject(example) && example[name] === fixed);
    });

const allowsNull = ({ type, anyOf = [] }: Schema) => [{ type }, ...anyOf].some((one) => one.type === 'null');

type Schemas = Description['components']['schemas'];

/** The paths of the members that may be left out, in what an example has, and of those that it could have. */
function optionalPaths(schema: Schema, schemas: Schemas, example: JsonValue | undefined, at: Path = []): Path[] {
  const known = schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (!known || at.length > 8) return [];
  const below = (part: Schema, value: JsonValue | undefined, name?: string | number) =>
    optionalPaths(part, schemas, value, name === undefined ? at : [...at, name]);
  const alternatives = [...(known.anyOf ?? []), ...(known.oneOf ?? [])].filter(isPossible(example));
  const items = Array.isArray(example) ? example : [];
  const members = isJsonObject(example) ? Object.entries(known.properties ?? {}) : [];
  return [
    ...alternatives.flatMap((one) => below(one, example)),
    ...items.flatMap((item, index) => below(known.items ?? {}, item, index)),
    ...members
      .filter(([name, member]) => !allowsNull(member) && !known.required?.includes(name))
      .map(([name]) => [...at, name]),
    ...members.flatMap(([name, member]) => below(member, (example as JsonObject)[name], name)),
  ];
}

/** The example with null at a path, or without that member. */
function changed(example: JsonValue, path: Path, to: 'null' | 'absent'): JsonValue {
  const copy = structuredClone(example);
  let parent = copy as JsonObject;
  for (const part of path.slice(0, -1)) parent = parent[part] as JsonObject;
  const last = path.at(-1) as string;
  if (to === 'null') parent[last] = null;
  else delete parent[last];
  return copy;
}

const headersOf = (file: string) => [
  ['content-type', 'application/json'] as const,
  ['x-api-key', 'a-key'] as const,
  ...(file.includes('0.38.2') ? [['x-service-oas-version', '0.38.2'] as const] : []),
];

const queryOf = ({ parameters = [] }: Operation) =>
  parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=did:x:y`)
    .join('&');

describe('17.13 an optional member that is null', () => {
  it.each(DOCUMENTS)('means the same as none, in every body of %s', async (file) => {
    const description = (await gateway.toManagement(`/${file}`)).json as unknown as Description;
    let compared = 0;
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { schema, example } = operation.requestBody?.content['application/json'] ?? {};
        if (!schema || PATCHES.has(operation.operationId)) continue;
        const body = example ?? {};
        const address = `${path.replace(/\{\w+\}/g, 'did:x:y')}?${queryOf(operation)}`;
        const outcome = async (of: JsonValue) => {
          const before = gateway.asked.length;
          const sent = { method: method.toUpperCase(), headers: headersOf(file), body: JSON.stringify(of) };
          const { status, json } = await gateway.toManagement(address, sent);
          const asked = gateway.asked.slice(before).map(({ subject, question }) => ({ subject, question }));
          return { status, errors: json['errors'], asked };
        };
        for (const place of optionalPaths(schema, description.components.schemas, body)) {
          const [asNull, absent] = [
            await outcome(changed(body, place, 'null')),
            await outcome(changed(body, place, 'absent')),
          ];
          expect([operation.operationId, place, asNull]).toEqual([operation.operationId, place, absent]);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(file === 'openapi.json' ? 15 : 20);
  });

  it.each(['SchemaUpdate', 'DraftUpdate', 'PresentationUpdateV1'])(
    'removes it in the patch %s',
    async (operationId) => {
      const paths = {
        SchemaUpdate: '/schemas/a',
        DraftUpdate: '/drafts/did:x:y',
        PresentationUpdateV1: '/api/wallet/v1/vp/did:x:y',
      };
      const body = { labels: null, data: { values: null, slug: null }, MetaData: null };
      const sent = { method: 'PATCH', headers: headersOf(''), body: JSON.stringify(body) };
      await gateway.toManagement(paths[operationId as keyof typeof paths], sent);
      expect(gateway.asked.at(-1)?.question['body']).toEqual(body);
    },
  );

  it.each<[string, string, readonly string[]]>([
    ['SchemaUpdate', '/schemas/a', ['schema']],
    ['DraftUpdate', '/drafts/did:x:y', ['meta_schema', 'schema']],
    ['DraftUpdate', '/drafts/did:x:y', ['schema', 'schema']],
  ])('is absent in the elements of an array in the patch %s, which replaces the whole array', async (_id, path, at) => {
    const claims = (title: object) => [
      { kind: 'STRING', value: { name: 'a', ...title } },
      { kind: 'LIST', value: { name: 'b', items: { kind: 'STRING', value: { ...title } } } },
      { kind: 'OBJECT', value: { name: 'c', fields: [{ kind: 'DATE', value: { name: 'd', ...title } }] } },
    ];
    const patch = (title: object) => ({
      data: {
        ...at.reduceRight<object>((inner, name) => ({ [name]: inner }), { fields: claims(title) }),
        values: { b: { kind: 'LIST', value: [null, { kind: 'STRING', value: null }] }, gone: null },
        slug: null,
      },
    });
    const sent = { method: 'PATCH', headers: headersOf(''), body: JSON.stringify(patch({ title: null })) };
    await gateway.toManagement(path, sent);
    expect(gateway.asked.at(-1)?.question['body']).toEqual(patch({}));
  });

  it.each([
    ['a claim of an offer', '/offers', { credential_configuration_id: 'x', claims: { middle_name: null } }],
    [
      'a path of a query',
      '/oidc4vp',
      {
        dcql_query: {
          credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'] }, claims: [{ path: ['a', null] }] }],
        },
      },
    ],
    ['a value of a draft', '/drafts', { data: { schema: { schema: { fields: [] } }, values: { a: null } } }],
    ['a required member', '/oidc4vp', { dcql_query: null }],
    ['an unknown member', '/offers', { credential_configuration_id: 'x', zebra: null }],
    ['a transaction', '/oidc4vp', { dcql_query: {}, transaction_data: [{ a: null }] }],
    [
      'a name of every object',
      '/oidc4vp',
      JSON.parse('{"dcql_query":{},"constructor":null,"__proto__":null}') as object,
    ],
  ])('stays in %s', async (_what, path, body) => {
    await gateway.toManagement(path, { method: 'POST', headers: headersOf(''), body: JSON.stringify(body) });
    expect(JSON.stringify(gateway.asked.at(-1)?.question['body'])).toBe(JSON.stringify(body));
  });
});
