import { randomBytes } from 'node:crypto';
import type { Stack } from '@vestibule/dev-stack';
import type { JsonObject } from '@vestibule/foundation';
import { buildCredential, canonicalize, createDidKey, signCredential } from '@vestibule/vcdm';

export type Members = Record<string, unknown>;

/** A wallet of the wallet content API, and its owner. */
export interface Owner {
  readonly entityDid: string;
  readonly walletDid: string;
}

type Place = Pick<Stack, 'baseUrl' | 'files'>;

/** One call with the first API key. Rejects on any status but 2xx. */
export async function send(stack: Place, method: string, path: string, body?: object): Promise<Members> {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { 'x-api-key': stack.files.secrets.apiKey, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = (await response.json()) as Members;
  if (!response.ok) throw new Error(`${method} ${path.split('?')[0]} answered ${response.status}`);
  return answer;
}

/** The same below the path of the wallet content API. */
export const call = (stack: Place, method: string, path: string, body?: object) =>
  send(stack, method, `/api/wallet/v1${path}`, body);

/** Creates an entity with a wallet. */
export async function newOwner(stack: Place): Promise<Owner> {
  const entityDid = String((await call(stack, 'POST', '/entity'))['EntityDid']);
  const walletDid = String((await call(stack, 'POST', `/wallet?entityDid=${entityDid}`))['WalletDid']);
  return { entityDid, walletDid };
}

/** A credential of a new issuer about a holder. */
export function signedCredential(
  holderDid: string,
  credentialSubject: JsonObject = { given_name: 'Ada', family_name: 'Example' },
): Promise<JsonObject> {
  const signer = createDidKey(randomBytes);
  const credential = buildCredential({
    id: createDidKey(randomBytes).did,
    types: ['CityCard'],
    contexts: ['https://www.w3.org/ns/credentials/undefined-terms/v2'],
    credentialSubject,
    credentialSchema: [],
    issuerDid: signer.did,
    holderDid,
  });
  const contexts = { find: () => Promise.resolve(undefined), isOwn: () => false, findTexts: () => Promise.resolve([]) };
  return signCredential(credential, { signer, now: new Date(), contexts, canonicalize });
}
