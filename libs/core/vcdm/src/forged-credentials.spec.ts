import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import { setOwnMember, VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  strangersKey,
  TERMS,
  UNDEFINED,
  UNDEFINED_TERMS,
  W3C,
} from './testing/stranger.fixture-spec';
import { verifyCredential } from './verify-documents';

const HOLDER = 'did:example:holder';
const ID = 'urn:uuid:5f2b6c1e-9f6b-4c53-8f3e-0d7c5a0f5f11';
type Change = (credential: JsonObject) => JsonObject;
let key: KeyPair;
beforeAll(async () => {
  key = await strangersKey();
});

const subjectOf = (credential: JsonObject) => credential['credentialSubject'] as JsonObject;
/** The same credential with other or more claims. */
const claiming =
  (change: JsonObject): Change =>
  (credential) => ({ ...credential, credentialSubject: { ...subjectOf(credential), ...change } });
/** The same object with a member of it under another name; the empty list of names removes it. */
function renamed(object: JsonObject, from: string, ...names: string[]): JsonObject {
  const { [from]: value, ...rest } = object;
  return { ...rest, ...Object.fromEntries(names.map((name) => [name, value as JsonValue])) };
}
const renamingClaim =
  (from: string, to: string): Change =>
  (credential) => ({ ...credential, credentialSubject: renamed(subjectOf(credential), from, to) });
const changingProof =
  (change: JsonObject): Change =>
  (credential) => ({ ...credential, proof: { ...(credential['proof'] as JsonObject), ...change } });
function withProto(object: JsonObject, value: JsonValue): JsonObject {
  const result = { ...object };
  setOwnMember(result, '__proto__', value);
  return result;
}

const signed = (change: JsonObject = {}) =>
  issueAsStranger(key, {
    '@context': [CREDENTIALS, UNDEFINED_TERMS, TERMS],
    id: ID,
    type: ['VerifiableCredential', 'CityCard'],
    validUntil: '2026-03-01T13:00:00Z',
    credentialSubject: { id: HOLDER, given_name: 'Ada', over18: false, source: ID },
    ...change,
  });

/** What a stranger did to a signed credential, so that it says more, less or something else, and the signature holds. */
async function refused(credential: JsonObject, change: Change): Promise<string> {
  await expect(verifyCredential(credential, verifying)).resolves.toBeDefined();
  const answer = await verifyCredential(change(credential), verifying).catch((error: unknown) => error);
  if (answer instanceof VerificationFailure) return answer.code;
  throw new Error(`was not refused: ${JSON.stringify(answer)}`);
}

describe('a member that the signature does not cover makes a credential invalid', () => {
  it.each<[string, Change]>([
    ['@index', claiming({ '@index': 'admin' })],
    ['@index at the root', (c) => ({ ...c, '@index': 'admin' })],
    ['null', claiming({ admin: null })],
    ['null at the root', (c) => ({ ...c, termsOfUse: null })],
    ['an empty array', claiming({ roles: [] })],
    ['an array of null', claiming({ roles: [null] })],
    ['an empty array at the root', (c) => ({ ...c, evidence: [] })],
    ['null in an array', (c) => ({ ...c, credentialSubject: [subjectOf(c), null] })],
    ['__proto__', (c) => ({ ...c, credentialSubject: withProto(subjectOf(c), { admin: true }) })],
    ['__proto__ at the root', (c) => withProto(c, { admin: true })],
    ['__proto__ with a context', (c) => withProto(c, { '@context': { over18: `${UNDEFINED}admin` } })],
    ['__proto__ in the proof', (c) => ({ ...c, proof: withProto(c['proof'] as JsonObject, { nonce: 'x' }) })],
    ['@index in the proof', changingProof({ '@index': 'x' })],
    ['null in the proof', changingProof({ nonce: null })],
    ['an empty array in the proof', changingProof({ nonce: [] })],
    ['a value twice', (c) => ({ ...c, type: ['VerifiableCredential', 'CityCard', 'CityCard'] })],
    ['a claim twice', claiming({ given_name: ['Ada', 'Ada'] })],
    ['an array in an array', claiming({ given_name: [['Ada']] })],
    ['an object that holds only null', claiming({ given_name: ['Ada', { '@value': null }] })],
    ['a value with an index', claiming({ given_name: { '@value': 'Ada', '@index': 'Eve' } })],
    ['a node with a name of its own', claiming({ source: { id: ID, '@index': 'Eve' } })],
  ])('%s', async (_what, change) => {
    expect(await refused(await signed(), change)).toMatch(/^vc_/);
  });
});

describe('a claim cannot be renamed, hidden or moved', () => {
  it.each<[string, Change]>([
    ['by its IRI', renamingClaim('given_name', `${UNDEFINED}given_name`)],
    ['by its IRI, with a prefix', renamingClaim('over18', 'terms:over18')],
    ['into @nest', (c) => ({ ...c, credentialSubject: { id: HOLDER, '@nest': renamed(subjectOf(c), 'id') } })],
    ['into @set', (c) => ({ ...c, credentialSubject: { '@set': [subjectOf(c)] } })],
    ['into @included', (c) => ({ ...c, credentialSubject: HOLDER, '@included': [subjectOf(c)] })],
    [
      'into @included, the subject by its id',
      (c) => ({ ...c, credentialSubject: { id: HOLDER }, '@included': [subjectOf(c)] }),
    ],
    ['into @graph', ({ '@context': context = [], ...c }) => ({ '@context': context, ...c, '@graph': [c] })],
    ['into a value object', claiming({ given_name: { '@value': 'Ada' } })],
    ['into a value object with a type', claiming({ over18: { '@value': 'false', '@type': 'xsd:boolean' } })],
    ['into a text that stands for it', claiming({ over18: 'false' })],
    ['into the node that it names', claiming({ source: { '@id': ID } })],
  ])('%s', async (_what, change) => {
    expect(await refused(await signed(), change)).toMatch(/^vc_/);
  });

  it('by @reverse', async () => {
    const root = { id: ID, over18: false };
    const credentialSubject = { id: HOLDER, employer: root as JsonValue };
    const change: Change = (c) => ({
      ...c,
      credentialSubject: { id: HOLDER, over18: false, '@reverse': { [`${W3C}credentialSubject`]: { id: ID } } },
    });
    const credential = await signed({ id: 'urn:other', credentialSubject });
    expect(await refused(credential, change)).toMatch(/^vc_/);
  });

  it('from the subject to the issuer, or from one place of a node to another', async () => {
    const own = await signed({ credentialSubject: { id: key.controller, given_name: 'Ada' } });
    const issuer = { id: key.controller, given_name: 'Ada' };
    const moved: Change = (c) => ({ ...c, issuer, credentialSubject: { id: key.controller } });
    expect(await refused(own, moved)).toMatch(/^vc_/);
    const employer = { id: 'did:example:city', revoked: true };
    const two = await signed({
      credentialSubject: [
        { id: HOLDER, employer },
        { id: 'did:example:other', source: 'did:example:city' },
      ],
    }).catch(() => undefined);
    if (two) {
      const hidden: Change = (c) => ({
        ...c,
        credentialSubject: [
          { id: HOLDER, employer: employer.id },
          { id: 'did:example:other', source: employer },
        ] as JsonValue,
      });
      const answer = await verifyCredential(hidden(two), verifying).catch((error: unknown) => error);
      expect(answer).toBeInstanceOf(VerificationFailure);
    }
  });

  it('by another spelling of a number that RDF writes the same, or by one half of a character', async () => {
    const half = await signed({ credentialSubject: { id: HOLDER, height: 0.3, name: '\ufffd' } });
    expect(await refused(half, claiming({ height: 0.1 + 0.2 }))).toMatch(/^vc_/);
    expect(await refused(half, claiming({ name: '\ud800' }))).toMatch(/^vc_/);
    expect(await refused(half, claiming({ height: '0.3' }))).toMatch(/^vc_/);
    expect(await refused(half, claiming({ height: '0.3 and more' }))).toMatch(/^vc_/);
  });
});

describe('the holder cannot be hidden or made up', () => {
  it.each<[string, Change]>([
    ['by @id', renamingClaim('id', '@id')],
    ['by @set', (c) => ({ ...c, credentialSubject: { '@set': [subjectOf(c)] } })],
    ['by the IRI of credentialSubject', (c) => ({ ...c, [`${W3C}credentialSubject`]: subjectOf(c) })],
    [
      'by the IRI of credentialSubject beside one that says nothing',
      (c) => ({ ...renamed(c, 'credentialSubject', `${W3C}credentialSubject`), credentialSubject: [] }),
    ],
    ['by a second, empty subject', (c) => ({ ...c, credentialSubject: [subjectOf(c), { id: HOLDER }] })],
  ])('%s', async (_what, change) => {
    expect(await refused(await signed(), change)).toMatch(/^vc_/);
  });

  it('by the name of a nameless node', async () => {
    const nameless = await signed({ credentialSubject: { given_name: 'Ada' } });
    expect(await refused(nameless, claiming({ id: '_:b0' }))).toMatch(/^vc_/);
    expect(await refused(nameless, claiming({ '@id': '_:b0' }))).toMatch(/^vc_/);
  });
});

describe('what a credential is decided by cannot be hidden', () => {
  const rejected = async (credential: JsonObject) => {
    const answer = await verifyCredential(credential, verifying).catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(VerificationFailure);
  };
  const ended = { validUntil: '2026-03-01T11:00:00Z' };
  const later = { validFrom: '2026-03-01T13:00:00Z' };
  const status = {
    credentialStatus: { id: 'urn:status', type: 'BitstringStatusListEntry', statusPurpose: 'revocation' },
  };

  it.each<[string, JsonObject, string]>([
    ['validUntil', ended, 'validUntil'],
    ['validFrom', later, 'validFrom'],
    ['credentialStatus', status, 'credentialStatus'],
  ])('%s: not by its IRI, @nest, @included, an index or the node elsewhere', async (_what, said, name) => {
    const credential = await signed(said);
    await rejected(credential);
    const { [name]: value, ...rest } = credential;
    const moved = { [name]: value as JsonValue };
    await rejected(renamed(credential, name, `${W3C}${name}`));
    await rejected({ ...rest, '@nest': moved });
    await rejected({ ...rest, '@included': [{ id: ID, type: 'VerifiableCredential', ...moved }] });
    await rejected({ ...rest, [name]: { '@set': [value as JsonValue] } });
    await rejected({ ...rest, [name]: [value as JsonValue] });
    await rejected({
      ...rest,
      credentialSubject: { ...subjectOf(rest), source: { id: ID, type: 'VerifiableCredential', ...moved } },
    });
    await rejected({
      ...rest,
      credentialSubject: { ...subjectOf(rest), source: { id: ID, [`${W3C}${name}`]: value as JsonValue } },
    });
    await rejected(withProto(rest, moved));
  });

  it('the type: not by its IRI, @type or the node elsewhere', async () => {
    const credential = await signed();
    await rejected({ ...credential, type: ['VerifiableCredential', `${UNDEFINED}CityCard`] });
    await rejected({ ...credential, type: ['VerifiableCredential'], '@type': ['CityCard'] });
    const source = { id: ID, type: 'CityCard' };
    await rejected({ ...claiming({ source })(credential), type: ['VerifiableCredential'] });
  });

  it('the end of the proof: not by its IRI or another context', async () => {
    const proof = (await signed())['proof'] as JsonObject;
    const credential = await signed();
    for (const change of [
      { 'https://w3id.org/security#expiration': '2026-03-01T11:00:00Z' },
      { '@context': [CREDENTIALS, { expires: null }], expires: '2026-03-01T11:00:00Z' },
      { '@context': credential['@context'] as JsonValue },
      { '@id': 'urn:x' },
      { previousProof: 'urn:uuid:none' },
    ] as JsonObject[]) {
      await rejected({ ...credential, proof: { ...proof, ...change } });
    }
  });

  it('the root: not by a credential within it that leads back to it', async () => {
    const inner = { id: 'urn:inner', type: 'VerifiableCredential', credentialSubject: { id: HOLDER, over18: true } };
    const outer = await signed({
      credentialSubject: { id: HOLDER, source: { ...inner, evidence: ID } as JsonValue },
    }).catch(() => undefined);
    if (!outer) return;
    const { credentialSubject, ...rest } = outer;
    void credentialSubject;
    await rejected({
      ...rest,
      ...inner,
      issuer: outer['issuer'] as JsonValue,
      evidence: { ...rest, credentialSubject: { id: HOLDER, source: 'urn:inner' } } as JsonValue,
    });
  });
});
