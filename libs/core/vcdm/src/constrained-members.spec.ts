import { createHash, randomBytes } from 'node:crypto';
import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import { setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { createDidKey } from './did-key';
import { signCredential, signPresentation } from './sign-documents';
import { knowing, verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  now,
  presentAsStranger,
  strangersKey,
  TERMS,
  termsDocument,
  UNDEFINED_TERMS,
} from './testing/stranger.fixture-spec';
import { verifyCredential, verifyPresentation } from './verify-documents';

const signer = createDidKey(randomBytes);
let key: KeyPair;
beforeAll(async () => {
  key = await strangersKey();
});

const TEXT = { '@value': 'City card', '@language': 'en', '@direction': 'ltr' };
const SRI = 'sha384-l/HrjlBCNWyAX91hr6LFV2Y3heB5Tcr6IeE4/Tje8YyzYBM8IhqjHWiWpr8+ZbYU';
const MULTIBASE = 'uEiBZlVztZpfWHgPyslVv6-UwirFoQoRvW1htfx963sknNA';
const OTHER = `sha256-${Buffer.alloc(32, 7).toString('base64')}`;
const UNDEFINED_SRI = `sha256-${Buffer.from('82dab514ba44eb18f5d1b0f638c5e140c6a556fbfb5089601bdc0fa5eb8b2581', 'hex').toString('base64')}`;
const TERMS_TEXT = JSON.stringify(termsDocument);
const sriOf = (content: string, algorithm: string) =>
  `${algorithm}-${createHash(algorithm).update(content).digest('base64')}`;
const resource = (more: JsonObject, id: JsonValue = CREDENTIALS): JsonObject => ({ relatedResource: { id, ...more } });
const typed = (member: string, value: JsonValue): JsonObject => ({ [member]: value });
const document = (change: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS, UNDEFINED_TERMS],
  type: ['VerifiableCredential'],
  credentialSubject: { given_name: 'Ada' },
  ...change,
});

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => String((error as { code?: string }).code),
  );

/** What happens to a document when it is to be signed here, and when a stranger has signed it. */
async function doors(change: JsonObject): Promise<string[]> {
  const signing = await outcome(
    signCredential(document({ issuer: signer.did, ...change }), { signer, now, ...knowing() }),
  );
  const honest = await issueAsStranger(key, document());
  const signed = await issueAsStranger(key, document(change)).catch(() => ({ ...honest, ...change }));
  return [signing, await outcome(verifyCredential(signed, verifying))];
}

describe('17.8 members that VCDM 2.0 constrains', () => {
  it.each<[string, JsonObject]>([
    ['one credentialSchema', typed('credentialSchema', { id: 'https://a.example/s', type: ['JsonSchema'] })],
    ['two refreshServices, one with an id', typed('refreshService', [{ type: 'A', id: 'urn:a' }, { type: 'B' }])],
    ['termsOfUse and evidence', { termsOfUse: { type: 'Policy' }, evidence: [{ type: ['Seen', 'Shown'] }] }],
    ['a related resource with the right digestSRI', resource({ digestSRI: SRI })],
    ['a related resource with the right digestMultibase', resource({ digestMultibase: MULTIBASE })],
    ['undefined-terms with its digest', resource({ digestSRI: UNDEFINED_SRI }, UNDEFINED_TERMS)],
    ['a known context with its digest by SHA-256', resource({ digestSRI: sriOf(TERMS_TEXT, 'sha256') }, TERMS)],
    [
      'a known context with two digests',
      resource({ digestSRI: [sriOf(TERMS_TEXT, 'sha384'), sriOf(TERMS_TEXT, 'sha512')] }, TERMS),
    ],
    [
      'a related resource that is not known',
      resource({ digestSRI: OTHER, mediaType: 'image/png' }, 'https://a.example/i'),
    ],
    ['texts with languages', { name: [TEXT, { ...TEXT, '@language': 'de-AT' }], description: 'A card' }],
    ['a text with a direction only', { name: { '@value': 'x', '@direction': 'rtl' } }],
    ['a language in a claim', { credentialSubject: { title: { '@value': 'Frau', '@language': 'de' } } }],
    ['validity from now on', { validFrom: '2026-03-01T12:00:00Z', validUntil: '2026-03-01T14:00:00+01:00' }],
  ])('17.8 accept %s', async (_what, change) => {
    expect(await doors(change)).toEqual(['accepted', 'accepted']);
  });

  it.each<[string, string, JsonObject]>([
    ['vc_credential_schema_malformed', 'no id', typed('credentialSchema', { type: 'JsonSchema' })],
    ['vc_credential_schema_malformed', 'no type', typed('credentialSchema', { id: 'https://a.example/s' })],
    ['vc_credential_schema_malformed', 'text', typed('credentialSchema', 'https://a.example/s')],
    [
      'vc_credential_schema_malformed',
      'an id that is no URL',
      typed('credentialSchema', { id: 'schema', type: 'JsonSchema' }),
    ],
    [
      'vc_credential_schema_malformed',
      'a second without type',
      typed('credentialSchema', [{ id: 'urn:a', type: 'A' }, { id: 'urn:b' }]),
    ],
    ['vc_credential_status_malformed', 'no type', typed('credentialStatus', { id: 'https://a.example/s' })],
    ['vc_credential_status_malformed', 'text', typed('credentialStatus', 'valid')],
    ['vc_refresh_service_malformed', 'no type', typed('refreshService', { id: 'https://a.example/r' })],
    ['vc_refresh_service_malformed', 'an empty type', typed('refreshService', { type: '' })],
    ['vc_refresh_service_malformed', 'text', typed('refreshService', 'https://a.example/r')],
    ['vc_terms_of_use_malformed', 'no type', typed('termsOfUse', { id: 'https://a.example/p' })],
    ['vc_terms_of_use_malformed', 'an id that is a number', typed('termsOfUse', { id: 1, type: 'Policy' })],
    ['vc_evidence_malformed', 'no type', typed('evidence', [{ type: 'Seen' }, { verifier: 'x' }])],
    ['vc_evidence_malformed', 'a number', typed('evidence', 5)],
    ['vc_related_resource_malformed', 'no digest', resource({ mediaType: 'text/plain' })],
    ['vc_related_resource_malformed', 'no id', typed('relatedResource', { digestSRI: OTHER })],
    ['vc_related_resource_malformed', 'an id that is no URL', resource({ digestSRI: OTHER }, 'resource')],
    [
      'vc_related_resource_malformed',
      'an id twice',
      typed('relatedResource', [
        { id: 'urn:a', digestSRI: OTHER },
        { id: 'urn:a', digestSRI: SRI },
      ]),
    ],
    ['vc_related_resource_malformed', 'text', typed('relatedResource', 'https://a.example/r')],
    [
      'vc_related_resource_malformed',
      'a digest of another length',
      resource({ digestSRI: SRI.replace('384', '256') }, 'urn:a'),
    ],
    [
      'vc_related_resource_malformed',
      'an unknown algorithm',
      resource({ digestSRI: 'md5-AAAAAAAAAAAAAAAAAAAAAA==' }, 'urn:a'),
    ],
    [
      'vc_related_resource_malformed',
      'a digestMultibase of another base',
      resource({ digestMultibase: `m${MULTIBASE.slice(1)}` }, 'urn:a'),
    ],
    [
      'vc_related_resource_malformed',
      'one of two digests malformed',
      resource({ digestSRI: SRI, digestMultibase: 'u' }),
    ],
    ['vc_related_resource_mismatch', 'another digestSRI', resource({ digestSRI: OTHER })],
    ['vc_related_resource_mismatch', 'another digest by SHA-512', resource({ digestSRI: sriOf('x', 'sha512') })],
    ['vc_related_resource_mismatch', 'another one of undefined-terms', resource({ digestSRI: OTHER }, UNDEFINED_TERMS)],
    [
      'vc_related_resource_mismatch',
      'another one of version 1.1',
      resource({ digestSRI: OTHER }, 'https://www.w3.org/2018/credentials/v1'),
    ],
    ['vc_related_resource_mismatch', 'another one of a known context', resource({ digestSRI: OTHER }, TERMS)],
    [
      'vc_related_resource_mismatch',
      'another digestMultibase of a known context',
      resource({ digestMultibase: `u${Buffer.alloc(48, 7).toString('base64url')}` }, TERMS),
    ],
    [
      'vc_related_resource_mismatch',
      'one of two digests of a known context wrong',
      resource({ digestSRI: [sriOf(TERMS_TEXT, 'sha256'), OTHER] }, TERMS),
    ],
    [
      'vc_related_resource_malformed',
      'too many',
      typed(
        'relatedResource',
        Array.from({ length: 33 }, (_, index) => ({ id: `urn:a:${index}`, digestSRI: OTHER })),
      ),
    ],
    ['vc_related_resource_mismatch', 'one of two digests wrong', resource({ digestSRI: [SRI, OTHER] })],
    [
      'vc_related_resource_mismatch',
      'another bare digest',
      resource({ digestMultibase: `u${Buffer.alloc(32, 7).toString('base64url')}` }),
    ],
    ['vc_language_malformed', 'a further member', typed('name', { ...TEXT, url: 'https://a.example/' })],
    ['vc_language_malformed', 'no @value', typed('description', { '@language': 'en' })],
    ['vc_language_malformed', 'a number in @value', typed('name', { '@value': 5, '@language': 'en' })],
    ['vc_language_malformed', 'a language that is none', typed('name', { '@value': 'x', '@language': 'not a tag' })],
    ['vc_language_malformed', 'a direction that is none', typed('name', { '@value': 'x', '@direction': 'up' })],
    ['vc_language_malformed', 'a name that is a number', typed('name', 5)],
    ['vc_language_malformed', 'a description that is a node', typed('description', { id: 'urn:a' })],
    [
      'vc_language_malformed',
      'a further member in a claim',
      { credentialSubject: { title: { '@value': 'x', '@language': 'de', more: 1 } } },
    ],
    [
      'vc_validity_reversed',
      'an end before the beginning',
      { validFrom: '2026-03-01T11:59:59Z', validUntil: '2026-03-01T11:59:58Z' },
    ],
    [
      'vc_version_unsupported',
      'the context of version 1.1',
      { '@context': ['https://www.w3.org/2018/credentials/v1'] },
    ],
  ])('17.8 are refused with %s: %s', async (code, _what, change) => {
    expect(await doors(change)).toEqual([code, code]);
  });

  it('17.8 that another prototype has are not read', async () => {
    const inherited = document();
    setOwnMember(inherited, '__proto__', { evidence: 5 });
    expect(await outcome(verifyCredential(inherited, verifying))).toBe('vc_member_unsigned');
  });

  it('17.8 nesting beyond 40 levels has a code of its own', async () => {
    let deep: JsonValue = 'x';
    for (let level = 0; level < 45; level += 1) deep = { deep };
    expect(await doors({ credentialSubject: { deep } })).toEqual(['vc_too_deep', 'vc_too_deep']);
  });

  it('17.8 an issuer that is not the key has a code of its own, at signing and verifying', async () => {
    const issuer = createDidKey(randomBytes).did;
    const signing = signCredential(document({ issuer }), { signer, now, ...knowing() });
    expect(await outcome(signing)).toBe('vc_issuer_mismatch');
    expect(await outcome(verifyCredential(await issueAsStranger(key, document({ issuer })), verifying))).toBe(
      'vc_issuer_mismatch',
    );
  });

  it.each<[string, string, JsonObject]>([
    ['vc_terms_of_use_malformed', 'termsOfUse without a type', { termsOfUse: { id: 'urn:a' } }],
    ['vc_language_malformed', 'a holder whose name is a number', { holder: { id: signer.did, name: 5 } }],
    ['vc_version_unsupported', 'version 1.1', { '@context': ['https://www.w3.org/2018/credentials/v1'] }],
  ])('17.8 %s: a presentation is refused with %s', async (code, _what, change) => {
    const presentation = { '@context': [CREDENTIALS, UNDEFINED_TERMS], type: ['VerifiablePresentation'], ...change };
    const binding = { challenge: 'c' };
    expect(await outcome(signPresentation(presentation, binding, { signer, now, ...knowing() }))).toBe(code);
    const honest = { '@context': [CREDENTIALS, UNDEFINED_TERMS], type: ['VerifiablePresentation'] };
    const signed = { ...(await presentAsStranger(key, honest, binding)), ...change };
    expect(await outcome(verifyPresentation(signed, binding, verifying))).toBe(code);
  });
});
