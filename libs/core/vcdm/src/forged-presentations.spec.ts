import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import { setOwnMember, VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  presentAsStranger,
  strangersKey,
  UNDEFINED_TERMS,
  W3C,
} from './testing/stranger.fixture-spec';
import { verifyPresentation } from './verify-documents';

const binding = { challenge: 'a-challenge', domain: 'https://verifier.example' };
let issuer: KeyPair;
let holder: KeyPair;
let credential: JsonObject;
beforeAll(async () => {
  [issuer, holder] = [await strangersKey(), await strangersKey()];
  credential = await issueAsStranger(issuer, {
    '@context': [CREDENTIALS, UNDEFINED_TERMS],
    id: 'urn:credential',
    type: ['VerifiableCredential', 'CityCard'],
    credentialSubject: { id: holder.controller, given_name: 'Ada', over18: false },
  });
});

const presentation = (change: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS, UNDEFINED_TERMS],
  id: 'urn:presentation',
  type: ['VerifiablePresentation'],
  holder: holder.controller,
  verifiableCredential: [credential],
  ...change,
});

/** The code that a presentation is refused with. */
async function codeFor(document: JsonObject): Promise<string> {
  const answer = await verifyPresentation(document, binding, verifying).catch((error: unknown) => error);
  if (answer instanceof VerificationFailure) return answer.code;
  throw new Error(`was not refused: ${JSON.stringify(answer)}`);
}
function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _gone, ...rest } = object;
  return rest;
}
const subjectOf = (document: JsonObject) => document['credentialSubject'] as JsonObject;

describe('a presentation of a stranger, changed after it was signed, is refused', () => {
  const first = (document: JsonObject) => (document['verifiableCredential'] as JsonObject[])[0] as JsonObject;
  const inner =
    (change: (credential: JsonObject) => JsonObject) =>
    (document: JsonObject): JsonObject => ({ ...document, verifiableCredential: [change(first(document))] });
  const withProto = (object: JsonObject): JsonObject => {
    const result = { ...object };
    setOwnMember(result, '__proto__', { admin: true });
    return result;
  };

  it.each<[string, (document: JsonObject) => JsonObject]>([
    ['@index', (p) => ({ ...p, '@index': 'x' })],
    ['null', (p) => ({ ...p, termsOfUse: null })],
    ['__proto__', withProto],
    ['an empty array', (p) => ({ ...p, termsOfUse: [] })],
    ['a context with an alias', (p) => ({ ...p, '@context': [CREDENTIALS, UNDEFINED_TERMS, { x: '@index' }], x: 'y' })],
    ['the holder by its IRI', (p) => ({ ...without(p, 'holder'), [`${W3C}holder`]: p['holder'] as JsonValue })],
    ['the holder in @nest', (p) => ({ ...without(p, 'holder'), '@nest': { holder: p['holder'] as JsonValue } })],
    [
      'the credentials by their IRI',
      (p) => ({
        ...without(p, 'verifiableCredential'),
        [`${W3C}verifiableCredential`]: { '@graph': p['verifiableCredential'] as JsonValue },
      }),
    ],
    [
      'the credentials in @nest',
      (p) => ({
        ...without(p, 'verifiableCredential'),
        '@nest': { verifiableCredential: p['verifiableCredential'] as JsonValue },
      }),
    ],
    [
      'the credentials in @set',
      (p) => ({ ...p, verifiableCredential: { '@set': p['verifiableCredential'] as JsonValue } }),
    ],
    ['a credential twice', (p) => ({ ...p, verifiableCredential: [first(p), first(p)] })],
    ['no credential', (p) => ({ ...p, verifiableCredential: [first(p), null] })],
    ['a claim more in a credential', inner((c) => ({ ...c, credentialSubject: { ...subjectOf(c), admin: null } }))],
    ['@index in a credential', inner((c) => ({ ...c, credentialSubject: { ...subjectOf(c), '@index': 'x' } }))],
    [
      'a context in a credential',
      inner((c) => ({ ...c, '@context': [...(c['@context'] as JsonValue[]), { x: '@index' }] })),
    ],
    ['an empty context in a credential', inner((c) => ({ ...c, '@context': [...(c['@context'] as JsonValue[]), {}] }))],
    ['__proto__ in a credential', inner(withProto)],
    [
      'a credential in @graph',
      inner((c) => ({ '@context': c['@context'] as JsonValue, '@graph': [without(c, '@context')] })),
    ],
    ['a proof with an index', inner((c) => ({ ...c, proof: { ...(c['proof'] as JsonObject), '@index': 'x' } }))],
  ])('%s', async (_what, change) => {
    const signed = await presentAsStranger(holder, presentation(), binding);
    await expect(verifyPresentation(signed, binding, verifying)).resolves.toMatchObject({
      holderDid: holder.controller,
    });
    expect(await codeFor(change(signed))).toMatch(/^vc_/);
  });
});

describe('a presentation that its signer made up is refused', () => {
  const forged = () => ({ ...credential, credentialSubject: { id: holder.controller, over18: true } });
  const signedAs = (document: JsonObject, key = holder) => presentAsStranger(key, document, binding);

  it('with a forged credential, wherever it stands', async () => {
    const hidden = { '@graph': [forged()] } as JsonObject;
    expect(await codeFor(await signedAs(presentation({ verifiableCredential: [forged()] })))).toBe('vc_proof_invalid');
    for (const change of [
      { [`${W3C}verifiableCredential`]: hidden },
      { '@included': [{ id: 'urn:presentation', verifiableCredential: [forged()] }] },
      { '@nest': { verifiableCredential: [forged()] } },
      { evidence: { id: 'urn:presentation', type: 'VerifiablePresentation', verifiableCredential: [forged()] } },
    ] as JsonObject[]) {
      const document = await signedAs(without(presentation(change), 'verifiableCredential'));
      expect(await codeFor(document)).toMatch(/^vc_/);
    }
  });

  it('in the name of another holder, however that is written', async () => {
    const attacker = await strangersKey();
    for (const change of [
      { holder: holder.controller },
      { [`${W3C}holder`]: { '@id': holder.controller } },
      { '@nest': { holder: holder.controller } },
      { holder: { '@id': holder.controller } },
      { holder: { '@set': [holder.controller] } },
      { holder: [holder.controller] },
      { holder: [attacker.controller, holder.controller] },
      { '@included': [{ id: 'urn:presentation', type: 'VerifiablePresentation', holder: holder.controller }] },
    ] as JsonObject[]) {
      const document = { ...without(presentation(), 'holder'), ...change };
      const signed = await signedAs(document, attacker).catch(() => undefined);
      if (signed) expect(await codeFor(signed)).toMatch(/^vc_/);
    }
  });

  it('for a challenge and a domain that its own contexts or IRIs hide', async () => {
    const signed = await presentAsStranger(holder, presentation(), { challenge: 'another', domain: binding.domain });
    const proof = signed['proof'] as JsonObject;
    const moved = { ...without(proof, 'challenge'), 'https://w3id.org/security#challenge': 'another' };
    for (const change of [
      { ...moved, '@context': [CREDENTIALS, { challenge: null }], challenge: binding.challenge },
      { ...moved, challenge: binding.challenge },
      { ...moved, '@nest': { challenge: binding.challenge } },
    ] as JsonObject[]) {
      expect(await codeFor({ ...signed, proof: change })).toMatch(/^vc_/);
    }
  });
});
