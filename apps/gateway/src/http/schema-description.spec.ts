import { isJsonObject, VERSION, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { z } from 'zod';
import { describeApis } from '../describe-apis';
import { describeSchema } from './schema-description';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: JsonObject;
    readonly description?: string;
  }[];
  readonly responses: Readonly<Record<string, { readonly content?: JsonObject }>>;
}
type Document = JsonObject & { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

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
