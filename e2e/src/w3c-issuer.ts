import { contexts } from '@digitalbazaar/credentials-context';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { cryptosuite } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import { generate } from '@digitalbazaar/ecdsa-multikey';
import * as vc from '@digitalbazaar/vc';

type Members = Record<string, unknown>;

/** Resolves did:key and the bundled contexts as a stranger would, without a line of this project. */
const documentLoader: vc.DocumentLoader = async (url) => {
  const [did = '', fragment] = url.split('#');
  const publicKeyMultibase = did.slice('did:key:'.length);
  const id = `${did}#${publicKeyMultibase}`;
  const method = {
    '@context': 'https://w3id.org/security/multikey/v1',
    ...{ id, type: 'Multikey', controller: did, publicKeyMultibase },
  };
  const controller = {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    ...{ id: did, assertionMethod: [id], authentication: [id] },
  };
  const document = url.startsWith('did:key:') ? (fragment ? method : controller) : contexts.get(url);
  if (!document) throw new Error('the stranger knows no such document');
  return { documentUrl: url, document };
};

const suiteOf = (signer?: ReturnType<Awaited<ReturnType<typeof generate>>['signer']>) =>
  new DataIntegrityProof({ cryptosuite, date: new Date(), ...(signer ? { signer } : {}) });

/** An issuer of W3C credentials on the Data Integrity libraries alone. */
export async function createW3cIssuer() {
  const key = await generate({ curve: 'P-256' });
  key.controller = `did:key:${key.publicKeyMultibase}`;
  key.id = `${key.controller}#${key.publicKeyMultibase}`;
  let count = 0;
  return {
    did: key.controller,
    async issue(credentialSubject: Members, change: Members = {}): Promise<Members> {
      count += 1;
      const credential = {
        '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/undefined-terms/v2'],
        id: `did:example:${key.publicKeyMultibase}:${count}`,
        type: ['VerifiableCredential', 'CityCard'],
        issuer: key.controller,
        credentialSubject,
        ...change,
      };
      const now = new Date(0);
      return (await vc.issue({ credential, suite: suiteOf(key.signer()), documentLoader, now })) as Members;
    },
  };
}

/** Does a stranger's verifier accept the presentation, and every credential in it? */
export async function strangerVerifies(
  presentation: object,
  binding: { readonly challenge: string; readonly domain?: string },
): Promise<boolean> {
  const suite = suiteOf();
  return (await vc.verify({ presentation, suite, documentLoader, now: new Date(), ...binding })).verified;
}

/** Does a stranger's verifier accept a credential by itself? */
export async function strangerAccepts(credential: object): Promise<boolean> {
  return (await vc.verifyCredential({ credential, suite: suiteOf(), documentLoader, now: new Date() })).verified;
}
