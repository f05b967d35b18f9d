import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  presentAsStranger,
  strangersKey,
  TERMS,
  UNDEFINED_TERMS,
} from './testing/stranger.fixture-spec';
import { verifyCredential, verifyPresentation } from './verify-documents';

let key: KeyPair;
beforeAll(async () => {
  key = await strangersKey();
});

const HOLDER = 'did:example:holder';
const credential = (change: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS, UNDEFINED_TERMS, TERMS],
  type: ['VerifiableCredential'],
  credentialSubject: { id: HOLDER, given_name: 'Ada' },
  ...change,
});
const claims = (change: JsonObject): JsonObject => ({ credentialSubject: { id: HOLDER, ...change } });

describe('credentials that strangers sign with the libraries alone verify here', () => {
  it.each<[string, JsonObject]>([
    ['nothing but a type, an issuer and a claim', {}],
    ['a type that is a text', { type: 'VerifiableCredential' }],
    ['several types', { type: ['VerifiableCredential', 'AlumniCredential', 'CityCard'] }],
    ['an id', { id: 'urn:uuid:5f2b6c1e-9f6b-4c53-8f3e-0d7c5a0f5f11' }],
    ['a subject without an id', { credentialSubject: { given_name: 'Ada' } }],
    ['a subject with nothing but an id', { credentialSubject: { id: HOLDER } }],
    [
      'two subjects that name each other',
      {
        credentialSubject: [
          { id: 'did:example:one', name: 'Jayden Doe', spouse: 'did:example:two', source: 'did:example:two' },
          { id: 'did:example:two', name: 'Morgan Doe', source: 'did:example:one' },
        ],
      },
    ],
    [
      'texts with a language and a direction',
      {
        name: [
          { '@value': 'City card', '@language': 'en' },
          { '@value': 'بطاقة', '@language': 'ar-EG', '@direction': 'rtl' },
        ],
        description: { '@value': 'x', '@direction': 'ltr' },
      },
    ],
    ['a schema', { credentialSchema: { id: 'https://schema.example/1', type: 'JsonSchema' } }],
    [
      'two schemas and further members of VCDM 2.0',
      {
        credentialSchema: [
          { id: 'https://schema.example/1', type: 'JsonSchema' },
          { id: 'https://schema.example/2', type: 'JsonSchema' },
        ],
        refreshService: { id: 'https://refresh.example/', type: 'Refresh' },
        termsOfUse: [{ type: 'Policy', profile: 'https://policy.example/' }],
        evidence: [
          { id: 'https://evidence.example/1', type: ['Evidence'], name: 'shown' },
          { type: 'Seen', verifier: 'x' },
        ],
        relatedResource: [
          { id: 'https://resource.example/', digestSRI: `sha384-${'A'.repeat(64)}`, mediaType: 'text/plain' },
        ],
      },
    ],
    [
      'the times of its validity',
      { validFrom: '2026-03-01T12:00:00.123456789+01:00', validUntil: '2026-03-02T00:00:00Z' },
    ],
    ['numbers', claims({ age: [0, -1, 1.5, 1.5e-7, 9007199254740992, -9007199254740991], height: 2, other: 0.1 })],
    ['numbers of a type', claims({ height: 1.83, over18: true, since: '2020-01-01' })],
    ['objects in objects', claims({ office: { address: { street: 'High Street', no: { of: 1, and: 'a' } } } })],
    ['an empty object', claims({ office: {} })],
    ['an empty text', claims({ given_name: '' })],
    ['objects that look alike', claims({ offices: [{ city: 'Rome' }, { city: 'Rome' }, {}, {}] })],
    ['lists', claims({ grades: [1, 2, 1, 'x', true, { by: 'A' }] })],
    [
      'an empty list, and one that is no array',
      {
        credentialSubject: [claims({ grades: [] }), claims({ grades: 1 })].map((one, index) => ({
          ...(one['credentialSubject'] as JsonObject),
          id: `did:example:${index}`,
        })),
      },
    ],
    ['lists of lists', claims({ grades: [[1, 2], [], [[3]]] })],
    ['JSON', claims({ notes: { a: [null, [], {}, 'x:y', 0.1234567890123456], 'x:y': null } })],
    ['JSON that is null', claims({ notes: null })],
    ['JSON that is an array', claims({ notes: [1, [2], null] })],
    [
      'a reference to a node and a node',
      claims({ employer: { id: 'did:example:city', name: 'City' }, source: 'did:example:other' }),
    ],
    [
      'a node that is named again deeper',
      claims({ employer: { id: 'did:example:city', name: 'City', owner: { source: 'did:example:city' } } }),
    ],
    [
      'members with names that JavaScript gives to every object',
      claims({ constructor: 1, toString: 'x', hasOwnProperty: true, valueOf: 1 }),
    ],
    [
      'names of many kinds',
      claims({ '1': 'a', '10': 'b', '2': 'c', Ä: 'd', 'a.b': 'e', a_b: 'f', 'a-b': 'g', '😀': 'h' }),
    ],
  ])('%s', async (_what, change) => {
    const signed = await issueAsStranger(key, credential(change));
    await expect(verifyCredential(signed, verifying)).resolves.toMatchObject({ issuerDid: key.controller });
  });

  it('of an issuer with more than an address', async () => {
    const issuer = { id: key.controller, name: [{ '@value': 'City', '@language': 'en' }], address: { city: 'Rome' } };
    await expect(
      verifyCredential(await issueAsStranger(key, credential({ issuer })), verifying),
    ).resolves.toBeDefined();
  });

  it('of an issuer that is the subject itself', async () => {
    const own = credential({ issuer: key.controller, credentialSubject: { id: key.controller, given_name: 'Ada' } });
    await expect(verifyCredential(await issueAsStranger(key, own), verifying)).resolves.toMatchObject({
      holderDid: key.controller,
    });
  });
});

describe('presentations that strangers sign with the libraries alone verify here', () => {
  const binding = { challenge: 'a-challenge' };
  it.each<[string, (credentials: JsonObject[]) => JsonObject]>([
    ['of one credential, not in an array', ([one]) => ({ verifiableCredential: one as JsonValue })],
    ['of two', (two) => ({ verifiableCredential: two })],
    ['of none', () => ({})],
    ['with an id and a holder', (two) => ({ id: 'urn:x', holder: key.controller, verifiableCredential: two })],
    ['of a holder with a name', (two) => ({ holder: { id: key.controller, name: 'Ada' }, verifiableCredential: two })],
    ['with terms of use', (two) => ({ termsOfUse: { type: 'Policy' }, verifiableCredential: two })],
  ])('%s', async (_what, content) => {
    const credentials = [
      await issueAsStranger(key, credential({ id: 'urn:one' })),
      await issueAsStranger(await strangersKey(), credential(claims({ office: { city: 'Rome' }, grades: [1, 1] }))),
    ];
    const members = content(credentials);
    const document = { '@context': [CREDENTIALS, UNDEFINED_TERMS], type: ['VerifiablePresentation'], ...members };
    const signed = await presentAsStranger(key, document, binding);
    const { credentials: verified } = await verifyPresentation(signed, binding, verifying);
    expect(verified).toHaveLength([members['verifiableCredential'] ?? []].flat().length);
  });
});
