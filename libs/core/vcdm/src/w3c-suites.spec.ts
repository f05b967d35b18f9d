import { randomBytes } from 'node:crypto';
import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import { isJsonObject, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { createDidKey } from './did-key';
import { signCredential, signPresentation } from './sign-documents';
import { knowing, verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  now,
  presentAsStranger,
  strangersKey,
  UNDEFINED_TERMS,
} from './testing/stranger.fixture-spec';
import { verifyCredential, verifyPresentation } from './verify-documents';

/*
 * What the suites of the W3C for VCDM 2.0 and ecdsa-rdfc-2019 assert and no other test shows: docs/w3c-suites.md lists
 * every assertion.
 */

const signer = createDidKey(randomBytes);
const binding = { challenge: 'c' };
const signing = { signer, now, ...knowing() };
const text = { '@value': 'City', '@language': 'en', '@direction': 'ltr' };
let key: KeyPair;
let signed: JsonObject;
let presented: JsonObject;

const credential = (change: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS, UNDEFINED_TERMS],
  type: ['VerifiableCredential'],
  credentialSubject: { given_name: 'Ada' },
  ...change,
});
const presentation = (change: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS, UNDEFINED_TERMS],
  type: ['VerifiablePresentation'],
  ...change,
});
beforeAll(async () => {
  key = await strangersKey();
  signed = await issueAsStranger(key, credential());
  presented = await presentAsStranger(key, presentation({ verifiableCredential: [signed] }), binding);
});

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => String((error as { code?: string }).code),
  );
/** The document with a member changed, or without it. */
function changed(document: JsonObject, change: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const entries = Object.entries({ ...document, ...change }).filter(
    (one): one is [string, JsonValue] => one[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

describe('17.8 the W3C suite for VCDM 2.0: presentations', () => {
  it.each<[string, string, Readonly<Record<string, JsonValue | undefined>>]>([
    ['vc_malformed', '4.03-2 without @context', { '@context': undefined }],
    ['vc_malformed', '4.03-4 with another first context', { '@context': [UNDEFINED_TERMS, CREDENTIALS] }],
    ['vc_malformed', '4.03-4 with a context that is no array', { '@context': CREDENTIALS }],
    ['vc_context_unknown', '4.03-6 with a number as context', { '@context': [CREDENTIALS, 5] }],
    ['vc_malformed', '4.05-2 without type', { type: undefined }],
    ['vc_malformed', '4.05-6 with an empty type', { type: [] }],
    ['vc_malformed', '4.13-2 with a type that is null', { type: null }],
    ['vc_malformed', '4.13-3 without VerifiablePresentation', { type: ['Other'] }],
    ['vc_malformed', '4.13-4 with a text as credential', { verifiableCredential: ['urn:a'] }],
    ['vc_malformed', '4.13-4 with a number as credential', { verifiableCredential: 5 }],
    [
      'vc_malformed',
      '4.13.2-3 with a credential in an envelope',
      {
        verifiableCredential: [
          { '@context': CREDENTIALS, id: 'data:application/vc+jwt,x', type: 'EnvelopedVerifiableCredential' },
        ],
      },
    ],
  ])('17.8 %s: one %s is neither signed nor verified', async (code, _what, change) => {
    expect(await outcome(signPresentation(changed(presentation(), change), binding, signing))).toBe(code);
    expect(await outcome(verifyPresentation(changed(presented, change), binding, verifying))).toBe(code);
  });

  it.each<[string, Readonly<Record<string, JsonValue | undefined>>]>([
    ['4.13-1 an id that is no URL', { id: 'not a url' }],
    ['4.13-1 two ids', { id: ['urn:a', 'urn:b'] }],
    ['4.13-5 a holder without id', { holder: { name: 'Ada' } }],
    ['4.13-5 a holder that is a number', { holder: 5 }],
    ['4.13-5 the holder of another key', { holder: 'did:example:other' }],
  ])('17.8 one with %s is refused', async (_what, change) => {
    expect(await outcome(signPresentation(changed(presentation(), change), binding, signing))).not.toBe('accepted');
    expect(await outcome(verifyPresentation(changed(presented, change), binding, verifying))).not.toBe('accepted');
  });

  it.each<[string, JsonObject]>([
    ['4.03-2 the contexts of a presentation', {}],
    ['4.13-1 an id that is a URL', { id: 'urn:uuid:1' }],
    ['4.13-3 several types', { type: ['VerifiablePresentation', 'CityPresentation'] }],
    ['4.13-5 a holder as an object', { holder: { id: signer.did, name: 'Ada' } }],
    ['4.13-4 no credential', {}],
  ])('17.8 accepts %s', async (_what, change) => {
    const made = await signPresentation(presentation(change), binding, signing);
    expect(await outcome(verifyPresentation(made, binding, verifying))).toBe('accepted');
  });
});

describe('17.8 the W3C suite for VCDM 2.0: credentials', () => {
  it.each<[string, JsonObject]>([
    ['4.05-3 types that are terms', { type: ['VerifiableCredential', 'CityCard', 'Pass'] }],
    ['4.06-3 an issuer with a name', { issuer: { id: signer.did, name: 'City' } }],
    ['4.06-3 an issuer with a name in a language', { issuer: { id: signer.did, name: text } }],
    [
      '4.06-4 an issuer with descriptions in two languages',
      { issuer: { id: signer.did, description: [text, { ...text, '@language': 'de' }] } },
    ],
    ['4.09-3 an end at the beginning', { validFrom: '2026-03-01T12:00:00Z', validUntil: '2026-03-01T12:00:00Z' }],
    ['4.09-1 a beginning in the future', { validFrom: '2999-01-01T00:00:00Z' }],
  ])('17.8 %s is signed', async (_what, change) => {
    expect(await outcome(signCredential(credential({ issuer: signer.did, ...change }), signing))).toBe('accepted');
  });

  it.each<[string, string, JsonObject]>([
    ['vc_language_malformed', '4.06-3 an issuer whose name is a number', { issuer: { id: signer.did, name: 5 } }],
    [
      'vc_language_malformed',
      '4.06-4 an issuer whose description has more members',
      { issuer: { id: signer.did, description: { ...text, url: 'urn:a' } } },
    ],
    [
      'vc_credential_status_malformed',
      '4.10-3 a status whose id is no URL',
      { credentialStatus: { id: 'not a url', type: 'A' } },
    ],
    ['vc_credential_schema_malformed', '4.11-1 a schema that is text', { credentialSchema: 'urn:a' }],
    ['vc_refresh_service_malformed', '5-7 a refresh service that is text', { refreshService: 'urn:a' }],
    ['vc_terms_of_use_malformed', '5-9 terms of use that are text', { termsOfUse: 'urn:a' }],
    ['vc_evidence_malformed', '5-11 evidence that is text', { evidence: 'urn:a' }],
  ])('17.8 %s: %s is not signed', async (code, _what, change) => {
    expect(await outcome(signCredential(credential({ issuer: signer.did, ...change }), signing))).toBe(code);
  });

  it('17.8 4.05-3 a type that is not a term is not signed', async () => {
    for (const type of [5, {}, null, 'a b', '']) {
      const plain = { '@context': [CREDENTIALS], credentialSubject: { id: 'did:example:a' } };
      const document = credential({ ...plain, issuer: signer.did, type: ['VerifiableCredential', type] });
      expect(await outcome(signCredential(document, signing))).not.toBe('accepted');
    }
  });

  it('17.8 5-1 a context that redefines a protected term is not used', async () => {
    const redefining = {
      '@context': { VerifiableCredential: 'https://a.example/#Other', issuer: 'https://a.example/#by' },
    };
    const { canonicalize } = knowing();
    const contexts = {
      find: () => Promise.resolve(redefining),
      isOwn: () => false,
      findTexts: () => Promise.resolve([]),
    };
    const document = credential({ issuer: signer.did, '@context': [CREDENTIALS, 'https://a.example/v1'] });
    expect(await outcome(signCredential(document, { signer, now, contexts, canonicalize }))).not.toBe('accepted');
  });
});

describe('17.8 the W3C suite for ecdsa-rdfc-2019', () => {
  const proofOf = (document: JsonObject): JsonObject => (isJsonObject(document['proof']) ? document['proof'] : {});
  const verify = (document: JsonObject) => outcome(verifyCredential(document, verifying));

  it.each<[string, JsonValue | undefined]>([
    ['di-verify-3 no proof', undefined],
    ['di-verify-3 a proof that is text', 'z5'],
    ['di-verify-3 no proof at all in a set', []],
  ])('17.8 %s is refused', async (_what, proof) => {
    expect(await verify(changed(signed, { proof }))).not.toBe('accepted');
  });

  it('17.8 di-verify-16 and di-verify-17: a set of proofs, or a chain, is refused as a whole', async () => {
    const proof = proofOf(signed);
    expect(await verify({ ...signed, proof: [proof, proof] })).not.toBe('accepted');
    for (const previousProof of ['urn:a', ['urn:a']]) {
      expect(await verify({ ...signed, proof: { ...proof, previousProof } })).toBe('vc_proof_unsupported');
    }
  });

  it('17.8 di-verify-9 a member that no context defines is refused, at signing and verifying', async () => {
    const document = { '@context': [CREDENTIALS], type: ['VerifiableCredential'], issuer: signer.did };
    const unsaid = { ...document, credentialSubject: { id: 'did:example:a', given_name: 'Ada' } };
    expect(await outcome(signCredential(unsaid, signing))).toBe('vc_term_undefined');
    expect(await verify({ ...signed, zebra: 'x', '@context': [CREDENTIALS] })).not.toBe('accepted');
  });

  it('17.8 rdfc-5 texts are signed as UTF-8, and a stranger verifies them', async () => {
    const subject = { given_name: 'Zoë 👩🏽‍🚀 \u200f', family_name: '李' };
    const ours = await signCredential(credential({ issuer: signer.did, credentialSubject: subject }), signing);
    expect(await verify(ours)).toBe('accepted');
    expect(await verify({ ...ours, credentialSubject: { ...subject, given_name: 'Zoe\u0308 👩🏽‍🚀 \u200f' } })).toBe(
      'vc_proof_invalid',
    );
  });

  it('17.8 keys-1 and keys-2: the key is base58-btc of a P-256 key, and no other encoding or curve', async () => {
    expect(proofOf(await signCredential(credential({ issuer: signer.did }), signing))['verificationMethod']).toMatch(
      /^did:key:zDn[1-9A-HJ-NP-Za-km-z]+#zDn/,
    );
    for (const did of ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', `did:key:u${signer.did.slice(9)}`]) {
      const proof = { ...proofOf(signed), verificationMethod: `${did}#${did.slice(8)}` };
      expect(await verify({ ...signed, issuer: did, proof })).toBe('vc_key_unresolvable');
    }
  });
});
