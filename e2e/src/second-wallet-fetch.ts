import { createHash, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT, type JWK } from 'jose';

/** A key of a wallet. */
export interface HolderKey {
  readonly key: KeyObject;
  readonly jwk: JWK;
}

interface LibraryRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const keys = new Map<string, HolderKey>();

/** Which key the proofs of an access token are made with. */
export function proveWith(accessToken: string, key: HolderKey): void {
  keys.set(accessToken, key);
}

function proofFor(url: string, accessToken: string, { key, jwk }: HolderKey, nonce: string | null): Promise<string> {
  const ath = createHash('sha256').update(accessToken).digest('base64url');
  return new SignJWT({ htm: 'POST', htu: url, ath, jti: randomUUID(), ...(nonce === null ? {} : { nonce }) })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .setIssuedAt()
    .sign(key);
}

/**
 * For the second wallet's library in place of its own `fetch`: it sends deferred credential requests and notifications
 * with a bearer token, though its token is bound to a key. What it does itself at the credential endpoint is done here for
 * these two: a DPoP proof, and one more with the nonce that is asked for.
 */
export async function fetchWithProof(url: string, request?: LibraryRequest): Promise<Response> {
  const accessToken = /^Bearer (.+)$/.exec(request?.headers['Authorization'] ?? '')?.[1];
  const key = accessToken === undefined ? undefined : keys.get(accessToken);
  if (accessToken === undefined || !key) return fetch(url, request);
  const ask = async (nonce: string | null) => {
    const dpop = await proofFor(url, accessToken, key, nonce);
    return fetch(url, { ...request, headers: { ...request?.headers, Authorization: `DPoP ${accessToken}`, dpop } });
  };
  const answer = await ask(null);
  const nonce = answer.headers.get('dpop-nonce');
  return answer.status === 401 && nonce !== null ? ask(nonce) : answer;
}
