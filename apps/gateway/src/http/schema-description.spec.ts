import { issuanceEvent, presentedCredentialsEvent } from '@vestibule/contracts';
import { isJsonObject, VERSION, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { z } from 'zod';
import { describeApis } from '../describe-apis';
import { describeSchema } from './schema-description';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: JsonObject;
    readonly description?: string;
  }[];
  readonly responses: Readonly<Record<string, { readonly content?: JsonObject }>>;
}
type Document = JsonObject & { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
interface Posted {
  readonly webhooks: Readonly<Record<string, { readonly post: Event }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}
interface Event {
  readonly tags: readonly string[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly example: JsonValue } } };
}
interface Choice {
  readonly oneOf: readonly object[];
  readonly discriminator: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

let documents: Readonly<Record<string, Document>>;
beforeAll(async () => {
  documents = JSON.parse(JSON.stringify(await describeApis(VERSION))) as typeof documents;
});

const operationsOf = (name: string): Operation[] =>
  Object.values(documents[name]?.paths ?? {}).flatMap((methods) => Object.values(methods));
const operationOf = (name: string, id: string) => operationsOf(name).find(({ operationId }) => operationId === id);

function formatsIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(formatsIn);
  if (!isJsonObject(value)) return [];
  const { type, format } = value;
  const own = type === 'string' && typeof format === 'string' ? [format] : [];
  return [...own, ...Object.values(value).flatMap(formatsIn)];
}

/** Every object of a description that is a schema, or looks like one. */
function schemasIn(value: JsonValue): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (!isJsonObject(value)) return [];
  const { example: _example, ...others } = value;
  return [others, ...Object.values(others).flatMap(schemasIn)];
}

describe('what the API descriptions say of values', () => {
  it('is their default in words, whether that or the description was given first', () => {
    const schema = z.strictObject({
      first: z.string().describe('Which').default('all'),
      last: z.string().default('all').describe('Which'),
      alone: z.int().default(3),
      said: z.int().default(3).describe('Three by default'),
    });
    const { properties } = describeSchema(schema, 'input').schema as { properties: Record<string, JsonObject> };
    const said = Object.values(properties).map((one) => [one['description'], 'default' in one]);
    expect(said).toEqual([
      ['Which. Default: all', false],
      ['Which. Default: all', false],
      ['Default: 3', false],
      ['Three by default', false],
    ]);
  });

  it('has the formats of JSON Schema alone, because strict readers refuse others', () => {
    const formats = Object.values(documents).flatMap(formatsIn);
    expect([...new Set(formats)].sort()).toEqual(['date', 'date-time', 'uri']);
  });

  it('is a list of types only with null, and no enumeration but of strings: generators refuse others', () => {
    const described = Object.values(documents).flatMap(schemasIn);
    const lists = described.filter(
      ({ type }) => Array.isArray(type) && type.filter((one) => one !== 'null').length > 1,
    );
    expect(lists).toEqual([]);
    const enumerations = described.filter((one) => Array.isArray(one['enum']));
    expect(enumerations.length).toBeGreaterThan(100);
    for (const { enum: values } of enumerations) expect(values).toEqual((values as JsonValue[]).map(String));
    const { ClaimsQuery } = (documents['management']?.['components'] as { schemas: JsonObject }).schemas as JsonObject;
    const types = [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }];
    expect(ClaimsQuery).toMatchObject({ properties: { values: { items: { anyOf: types } } } });
  });

  it('describes the callbacks as webhooks, apart from calls: generators write one class for each tag', () => {
    const { webhooks, components } = documents['management'] as unknown as Posted;
    expect(Object.keys(webhooks)).toEqual(['presentedCredentials', 'issuance', 'test']);
    const exampleOf = (name: string) => webhooks[name]?.post.requestBody.content['application/json'].example;
    presentedCredentialsEvent.parse(exampleOf('presentedCredentials'));
    issuanceEvent.parse(exampleOf('issuance'));
    const ofCalls = new Set(operationsOf('management').flatMap(({ tags }) => tags));
    expect(Object.values(webhooks).flatMap(({ post }) => post.tags.filter((tag) => ofCalls.has(tag)))).toEqual([]);
    for (const [name, count] of Object.entries({ PresentedCredentialsEvent: 5, IssuanceEvent: 4 })) {
      const { oneOf, discriminator } = components.schemas[name] as unknown as Choice;
      const chosen = Object.entries(discriminator.mapping);
      expect([discriminator.propertyName, chosen.length]).toEqual(['status', count]);
      expect(chosen.map(([, $ref]) => ({ $ref }))).toEqual(oneOf);
      for (const [status, $ref] of chosen) {
        const { properties } = components.schemas[$ref.split('/').at(-1) ?? ''] as { properties: JsonObject };
        expect(properties['status']).toEqual({ type: 'string', const: status });
      }
    }
  });

  it('names the services that have callbacks', () => {
    const services = operationsOf('management').flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === 'service').map(({ schema }) => schema),
    );
    expect(services).toEqual(Array(6).fill({ type: 'string', enum: ['verifier', 'issuer'] }));
  });

  it('has both forms of the metadata of the issuer, of which the signed one is served on request', () => {
    const { content } = operationOf('public', 'getCredentialIssuerMetadata')?.responses['200'] ?? {};
    expect(Object.keys(content ?? {})).toEqual(['application/json', 'application/jwt']);
  });
});
