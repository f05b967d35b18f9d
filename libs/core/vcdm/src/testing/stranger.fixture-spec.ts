import { contexts as bundled } from '@digitalbazaar/credentials-context';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { cryptosuite } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import { generate, type KeyPair } from '@digitalbazaar/ecdsa-multikey';
import * as vc from '@digitalbazaar/vc';
import type { JsonObject } from '@vestibule/foundation';

/** Everything here is written against the libraries alone, as a stranger would use them. */
export const now = new Date('2026-03-01T12:00:00Z');

/** A context that the operator allows: coercions, a prefix, a list, terms with a meaning of their own. */
export const TERMS = 'https://terms.example/v1';
export const termsDocument: JsonObject = {
  '@context': {
    xsd: 'http://www.w3.org/2001/XMLSchema#',
    terms: 'https://terms.example/#',
    age: 'terms:age',
    nickname: 'terms:nickname',
    over18: { '@id': 'terms:over18', '@type': 'xsd:boolean' },
    height: { '@id': 'terms:height', '@type': 'xsd:double' },
    since: { '@id': 'terms:since', '@type': 'xsd:date' },
    grades: { '@id': 'terms:grades', '@container': '@list' },
    employer: { '@id': 'terms:employer', '@type': '@id' },
    source: { '@id': 'terms:source', '@type': '@id' },
    notes: { '@id': 'terms:notes', '@type': '@json' },
  },
};
export const CREDENTIALS = 'https://www.w3.org/ns/credentials/v2';
export const UNDEFINED_TERMS = 'https://www.w3.org/ns/credentials/undefined-terms/v2';
export const UNDEFINED = 'https://www.w3.org/ns/credentials/undefined-term#';
export const W3C = 'https://www.w3.org/2018/credentials#';

/** What a stranger's verifier knows, `more` beside the bundled contexts. */
export function strangersLoader(more: Readonly<Record<string, JsonObject>> = {}): vc.DocumentLoader {
  return async (url) => {
    const [did = '', fragment] = url.split('#');
    const multibase = did.slice('did:key:'.length);
    const id = `${did}#${multibase}`;
    const method = {
      '@context': 'https://w3id.org/security/multikey/v1',
      ...{ id, type: 'Multikey', controller: did, publicKeyMultibase: multibase },
    };
    const controller = {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
      ...{ id: did, assertionMethod: [id], authentication: [id] },
    };
    const document = url.startsWith('did:key:') ? (fragment ? method : controller) : undefined;
    const found = document ?? bundled.get(url) ?? more[url] ?? (url === TERMS ? termsDocument : undefined);
    if (!found) throw new Error('not found');
    return { documentUrl: url, document: structuredClone(found) };
  };
}

export const stranger = (more?: Readonly<Record<string, JsonObject>>) => ({
  suite: new DataIntegrityProof({ cryptosuite }),
  documentLoader: strangersLoader(more),
  now,
});

export async function strangersKey(): Promise<KeyPair> {
  const key = await generate({ curve: 'P-256' });
  key.controller = `did:key:${key.publicKeyMultibase}`;
  key.id = `${key.controller}#${key.publicKeyMultibase}`;
  return key;
}

export const strangersSuite = (key: KeyPair) =>
  new DataIntegrityProof({ cryptosuite, signer: key.signer(), date: now });

/** The credential, signed with the libraries alone; its issuer is the key. */
export async function issueAsStranger(key: KeyPair, credential: JsonObject): Promise<JsonObject> {
  const issuer = credential['issuer'] ?? key.controller;
  const common = { ...stranger(), suite: strangersSuite(key) };
  return (await vc.issue({ ...common, credential: structuredClone({ ...credential, issuer }) })) as JsonObject;
}

/** The presentation, signed with the libraries alone. */
export async function presentAsStranger(
  key: KeyPair,
  presentation: JsonObject,
  binding: { challenge: string; domain?: string },
): Promise<JsonObject> {
  const common = { suite: strangersSuite(key), documentLoader: strangersLoader(), ...binding };
  return (await vc.signPresentation({ ...common, presentation: structuredClone(presentation) })) as JsonObject;
}
