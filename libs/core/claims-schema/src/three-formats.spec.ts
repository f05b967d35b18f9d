import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { loadCredentialTypes } from '@vestibule/oid4vci';
import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import {
  findMissingValues,
  jsonLdContext,
  jsonSchema,
  parseClaimsSchema,
  sdJwtTypeMetadata,
  toPlainClaims,
  type ClaimsSchema,
} from './index';
import { anySchema, valuesOf } from './testing/arbitraries.fixture-spec';

const ADDRESS = 'https://connector.example/schemas/acme/badge/1';
const TYPE_METADATA = `${ADDRESS}/type-metadata`;

const { parsed } = parseClaimsSchema(
  {
    fields: [
      { kind: 'STRING', value: { name: 'name', not_empty: true, title: 'Full name', description: 'As printed' } },
      { kind: 'DATE', value: { name: 'since' } },
      { kind: 'ENUM', value: { name: 'level', values: [{ value: 'gold' }, { value: 'silver' }] } },
      {
        kind: 'OBJECT',
        value: {
          name: 'office',
          fields: [{ kind: 'STRING', value: { name: 'street', not_empty: true } }],
        },
      },
      { kind: 'LIST', value: { name: 'photos', not_empty: true, items: { kind: 'LINKED_FILE', value: {} } } },
    ],
  },
  '',
);
const schema = parsed as ClaimsSchema;
const types = (metadata: JsonObject, issuerUrl: string) =>
  loadCredentialTypes([{ configurationId: 'badge', bytes: Buffer.from(JSON.stringify(metadata)) }], issuerUrl);

describe('one schema, three formats', () => {
  it('as a JSON-LD context: a term for each claim and for the type; protected terms are left to W3C', () => {
    expect(jsonLdContext(schema, { vocabulary: `${ADDRESS}#`, slug: 'badge' })).toEqual({
      '@context': {
        Badge: { '@id': `${ADDRESS}#Badge` },
        since: { '@id': `${ADDRESS}#since`, '@type': 'http://www.w3.org/2001/XMLSchema#date' },
        level: { '@id': `${ADDRESS}#level` },
        office: { '@id': `${ADDRESS}#office`, '@context': { street: { '@id': `${ADDRESS}#office.street` } } },
        photos: { '@id': `${ADDRESS}#photos`, '@type': '@id', '@container': '@list' },
      },
    });
  });

  it('as a JSON Schema of W3C vc-json-schema, which judges the subject', () => {
    const document = jsonSchema(schema, { id: `${ADDRESS}/json-schema`, title: 'Badge' });
    expect(document).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${ADDRESS}/json-schema`,
      required: ['credentialSubject'],
      properties: { credentialSubject: { required: ['name', 'photos'], additionalProperties: false } },
    });
    const validate = new Ajv2020({ formats: { date: true, uri: true } }).compile(document);
    const subject = { id: 'did:key:z', name: 'Zoë', photos: ['https://a.example/p'], office: { street: 'A' } };
    expect(validate({ credentialSubject: subject })).toBe(true);
    const wrong: JsonObject[] = [
      { photos: [] },
      { name: '' },
      { level: 'bronze' },
      { office: {} },
      { office: { street: '' } },
      { nickname: 'Z' },
    ];
    for (const change of wrong) expect(validate({ credentialSubject: { ...subject, ...change } })).toBe(false);
    expect(validate({})).toBe(false);
  });

  it('as SD-JWT VC Type Metadata, which the issuer loads beside its own', () => {
    const metadata = sdJwtTypeMetadata(schema, { vct: TYPE_METADATA, title: 'Badge' });
    const display = [{ locale: 'en', label: 'Full name', description: 'As printed' }];
    expect(metadata['claims']).toContainEqual({ path: ['name'], mandatory: true, sd: 'allowed', display });
    for (const issuerUrl of ['https://connector.example', 'https://issuer.example/tenant']) {
      const [type] = types(metadata, issuerUrl);
      expect(type?.vct).toBe(TYPE_METADATA);
      expect(type?.claims.map(({ path, mandatory }) => [path.join('/'), mandatory])).toEqual([
        ['name', true],
        ['since', false],
        ['level', false],
        ['office', false],
        ['office/street', false],
        ['photos', true],
        ['photos/', false],
      ]);
    }
  });

  it('of any schema: the JSON Schema takes what is complete, and the issuer loads the Type Metadata', () => {
    const ajv = new Ajv2020({ ownProperties: true, formats: { date: true, 'date-time': true, uri: true } });
    const case_ = anySchema.chain((one) => fc.tuple(fc.constant(one), valuesOf(one)));
    fc.assert(
      fc.property(case_, ([one, values]) => {
        const complete = findMissingValues(values, one, '').length === 0;
        const document = jsonSchema(one, { id: 'https://a.example/s', title: 'A' });
        const judged = ajv.validate({ ...document, $id: undefined } as object, {
          credentialSubject: toPlainClaims(values) as JsonValue,
        });
        expect(judged).toBe(complete);
        const loaded = types(sdJwtTypeMetadata(one, { vct: TYPE_METADATA, title: 'A' }), 'https://connector.example');
        expect(loaded).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
  });
});
