import { createHash } from 'node:crypto';
import type { JsonValue } from '@vestibule/foundation';
import { canonicalize } from './canonicalize';
import { verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  strangersKey,
  UNDEFINED,
  UNDEFINED_TERMS,
  W3C,
} from './testing/stranger.fixture-spec';
import { withTypedDoubles } from './typed-doubles';
import { verifyCredential } from './verify-documents';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const [ID, ISSUER, HOLDER] = ['urn:uuid:5f2b6c1e', 'did:example:issuer', 'did:example:holder'];

/** SHA-256 of the document part of what is signed, for a claim `score`. */
async function hashOf(score: JsonValue): Promise<string> {
  const credentialSubject = { id: HOLDER, score };
  const subject = { id: ID, type: ['VerifiableCredential'], issuer: ISSUER, credentialSubject };
  const document = { '@context': [CREDENTIALS, UNDEFINED_TERMS], ...subject };
  const proof = {
    ...{ type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019', proofPurpose: 'assertionMethod' },
    verificationMethod: `${ISSUER}#key`,
  };
  const { hashes } = await canonicalize({ kind: 'credential', document, proof, contexts: new Map() });
  return Buffer.from(hashes.subarray(32)).toString('hex');
}

/** The same, from canonical N-Quads that are written by hand (RDFC-1.0 §5). */
function hashOfQuads(literal: string): string {
  const quads = [
    `<${HOLDER}> <${UNDEFINED}score> ${literal} .`,
    `<${ID}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${W3C}VerifiableCredential> .`,
    `<${ID}> <${W3C}credentialSubject> <${HOLDER}> .`,
    `<${ID}> <${W3C}issuer> <${ISSUER}> .`,
  ];
  return createHash('sha256')
    .update(quads.map((quad) => `${quad}\n`).join(''))
    .digest('hex');
}

describe('a number that is no integer is signed as xsd:double in its canonical form (JSON-LD API §8.6)', () => {
  it.each([
    [1e-7, '1.0E-7'],
    [-3e-9, '-3.0E-9'],
    [5e-324, '4.940656458412465E-324'],
    [1.5e-7, '1.5E-7'],
    [1e-6, '1.0E-6'],
    [0.1, '1.0E-1'],
    [12.5, '1.25E1'],
  ])('%d as %s', async (number, text) => {
    expect(await hashOf(number)).toBe(hashOfQuads(`"${text}"^^<${XSD}double>`));
  });

  it.each([0, 7, -7, 2 ** 53])('and %d, an integer, as xsd:integer', async (number) => {
    expect(await hashOf(number)).toBe(hashOfQuads(`"${number}"^^<${XSD}integer>`));
  });

  it('so that no other small number, and not 0, has the same signature', async () => {
    const hashes = await Promise.all([0, 1e-7, 2e-7, 1e-8, 5e-324, -1e-7].map(hashOf));
    expect(new Set(hashes).size).toBe(6);
  });

  it('so a credential whose signer took 1e-7 for 0 is refused: nobody signed its number', async () => {
    const key = await strangersKey();
    const credentialSubject = { id: HOLDER, score: 1e-7 };
    const type = ['VerifiableCredential'];
    const signed = await issueAsStranger(key, { '@context': [CREDENTIALS, UNDEFINED_TERMS], type, credentialSubject });
    await expect(verifyCredential(signed, verifying)).rejects.toMatchObject({ code: 'vc_proof_invalid' });
  });

  it('wherever it stands, but not within a JSON literal', () => {
    const literal = { '@type': '@json', '@value': { '@value': 1e-7 } };
    const given = [{ 'x:a': [{ '@list': [{ '@value': 1e-7 }] }, literal, { '@value': 1e-7, '@type': 'x:t' }] }];
    const typed = { '@value': 1e-7, '@type': `${XSD}double` };
    expect(withTypedDoubles(given)).toEqual([
      { 'x:a': [{ '@list': [typed] }, literal, { '@value': 1e-7, '@type': 'x:t' }] },
    ]);
  });
});
