import type { JsonValue } from '@vestibule/foundation';
import { canonicalize } from './canonicalize';
import { CREDENTIALS, TERMS, termsDocument } from './testing/stranger.fixture-spec';

const canonicalizing = (grades: JsonValue) => {
  const credentialSubject = { id: 'did:example:holder', grades };
  const subject = { type: ['VerifiableCredential'], issuer: 'did:example:issuer', credentialSubject };
  const document = { '@context': [CREDENTIALS, TERMS], ...subject };
  const signing = { cryptosuite: 'ecdsa-rdfc-2019', proofPurpose: 'assertionMethod', verificationMethod: 'urn:x:key' };
  const proof = { type: 'DataIntegrityProof', ...signing };
  return canonicalize({ kind: 'credential', document, proof, contexts: new Map([[TERMS, termsDocument]]) });
};

describe('the places of a list are nodes without an id, of which other verifiers compare few that look alike', () => {
  it.each<[string, JsonValue]>([
    ['three equal values', ['a', 'a', 'a']],
    ['many values', Array.from({ length: 1_000 }, (_, index) => index)],
  ])('%s are canonicalized', async (_what, list) => {
    expect((await canonicalizing(list)).hashes).toHaveLength(64);
  });

  it('four equal ones are vc_too_complex, which names the cause', async () => {
    const refused = canonicalizing(['a', 'a', 'a', 'a']);
    await expect(refused).rejects.toMatchObject({
      code: 'vc_too_complex',
      message: expect.stringContaining('places of a list') as string,
    });
  });
});
