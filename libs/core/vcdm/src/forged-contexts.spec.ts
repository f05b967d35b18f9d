import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import { VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  strangersKey,
  UNDEFINED,
  UNDEFINED_TERMS,
  W3C,
} from './testing/stranger.fixture-spec';
import { verifyCredential } from './verify-documents';

const HOLDER = 'did:example:holder';
const ID = 'urn:uuid:5f2b6c1e-9f6b-4c53-8f3e-0d7c5a0f5f11';
let key: KeyPair;
beforeAll(async () => {
  key = await strangersKey();
});

const plain: JsonObject = {
  '@context': [CREDENTIALS, UNDEFINED_TERMS],
  id: ID,
  type: ['VerifiableCredential', 'CityCard'],
  credentialSubject: { id: HOLDER, given_name: 'Ada', over18: false },
};
const subjectOf = (credential: JsonObject) => credential['credentialSubject'] as JsonObject;

/** The code that a document is refused with. */
async function codeFor(credential: JsonObject): Promise<string> {
  const answer = await verifyCredential(credential, verifying).catch((error: unknown) => error);
  if (answer instanceof VerificationFailure) return answer.code;
  throw new Error(`was not refused: ${JSON.stringify(answer)}`);
}

/** The credential with a context more, at its end, and other claims. */
function withContext(credential: JsonObject, context: JsonValue, claims: JsonObject): JsonObject {
  const contexts = credential['@context'] as JsonValue[];
  return { ...credential, '@context': [...contexts, context], credentialSubject: claims };
}

describe('a context in the document of a stranger is unknown, whatever the stranger does with it', () => {
  const { id, given_name, over18 } = subjectOf(plain);
  const rest = { id, given_name, over18 } as JsonObject;
  it.each<[string, JsonValue, JsonObject]>([
    ['an alias of @index', { fake: '@index' }, { ...rest, fake: 'admin' }],
    ['an alias of @id', { uid: '@id' }, { uid: HOLDER, given_name: 'Ada', over18: false }],
    ['an alias of @type', { kind: '@type' }, { ...rest, kind: 'CityCard' }],
    ['an alias of @nest', { wrap: '@nest' }, { id: HOLDER, wrap: { given_name: 'Ada', over18: false } }],
    ['an alias of @included', { more: '@included' }, { ...rest, more: [] }],
    ['an alias of @graph', { more: '@graph' }, { ...rest, more: [] }],
    ['an alias of @set', { all: '@set' }, { all: [rest] }],
    ['an alias of @value', { text: '@value' }, { ...rest, given_name: { text: 'Ada' } }],
    ['an alias of @reverse', { back: '@reverse' }, { ...rest, back: {} }],
    ['a term for null', { admin: null }, { ...rest, admin: true }],
    ['another name', { under18: `${UNDEFINED}over18` }, { id: HOLDER, given_name: 'Ada', under18: false }],
    [
      'an index container',
      { over18: { '@id': `${UNDEFINED}over18`, '@container': '@index' } },
      { ...rest, over18: { 'over 18': false } },
    ],
    [
      'an id container',
      { credentialSubject: { '@id': `${W3C}credentialSubject`, '@container': '@id' } },
      { [HOLDER]: rest },
    ],
    ['a nest term', { over18: { '@id': `${UNDEFINED}over18`, '@nest': 'wrap' }, wrap: '@nest' }, rest],
    ['a reverse term', { issued: { '@reverse': `${W3C}credentialSubject`, '@type': '@id' } }, { ...rest, issued: ID }],
    ['a scoped context', { City: { '@id': `${UNDEFINED}City`, '@context': { x: '@index' } } }, rest],
    ['a property-scoped context', { given_name: { '@id': `${UNDEFINED}given_name`, '@context': {} } }, rest],
    ['a vocabulary', { '@vocab': UNDEFINED }, rest],
    ['a base', { '@base': 'https://terms.example/' }, rest],
    ['a language', { '@language': 'en' }, rest],
    ['an import', { '@import': UNDEFINED_TERMS }, rest],
    ['no propagation', { '@propagate': false, over18: `${UNDEFINED}over18` }, rest],
    ['nothing', {}, rest],
    ['null', null, rest],
    ['an array', [UNDEFINED_TERMS], rest],
    ['a number', 1, rest],
  ])('%s', async (_what, context, claims) => {
    const signed = await issueAsStranger(key, plain);
    await expect(verifyCredential(signed, verifying)).resolves.toMatchObject({ holderDid: HOLDER });
    expect(await codeFor(withContext(signed, context, claims))).toMatch(/^vc_(context_unknown|malformed)$/);
    // Signed by the issuer as it is, it is no better.
    const contexts = [...(plain['@context'] as JsonValue[]), context];
    const own = await issueAsStranger(key, { ...plain, '@context': contexts, credentialSubject: claims }).catch(
      () => undefined,
    );
    if (own) expect(await codeFor(own)).toMatch(/^vc_(context_unknown|malformed)$/);
  });

  it.each<[string, (credential: JsonObject) => JsonObject]>([
    ['in the subject', (c) => ({ ...c, credentialSubject: { ...subjectOf(c), '@context': { fake: '@index' } } })],
    ['in the subject, null', (c) => ({ ...c, credentialSubject: { ...subjectOf(c), '@context': null } })],
    ['in the subject, known', (c) => ({ ...c, credentialSubject: { ...subjectOf(c), '@context': UNDEFINED_TERMS } })],
    ['in the subject, empty', (c) => ({ ...c, credentialSubject: { ...subjectOf(c), '@context': [] } })],
    [
      'in the proof',
      (c) => ({ ...c, proof: { ...(c['proof'] as JsonObject), '@context': c['@context'] as JsonValue } }),
    ],
    ['in an array', (c) => ({ ...c, credentialSubject: [{ ...subjectOf(c), '@context': [UNDEFINED_TERMS] }] })],
  ])('and so is one deeper in the document: %s', async (_what, change) => {
    const signed = await issueAsStranger(key, plain);
    expect(await codeFor(change(signed))).toMatch(/^vc_(context_unknown|malformed|proof_unsupported)$/);
  });
});

describe('contexts by address', () => {
  it.each(['https://w3id.org/security/v2', 'https://www.w3.org/ns/odrl.jsonld', 'relative', '', 'did:key:zDnaX', ' '])(
    '%j is unknown, and named',
    async (url) => {
      const signed = await issueAsStranger(key, plain);
      const contexts = [...(signed['@context'] as JsonValue[]), url];
      const failure = await verifyCredential({ ...signed, '@context': contexts }, verifying).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ code: 'vc_context_unknown', detail: expect.stringContaining(url) });
    },
  );

  it('are at most 32 in a document', async () => {
    const signed = await issueAsStranger(key, plain);
    const many = Array.from({ length: 32 }, () => UNDEFINED_TERMS);
    expect(await codeFor({ ...signed, '@context': [CREDENTIALS, ...many] })).toBe('vc_malformed');
    const most = { ...signed, '@context': [CREDENTIALS, ...many.slice(1)] };
    await expect(verifyCredential(most, verifying)).resolves.toBeDefined();
  });
});
