import type { RequestDpopOptions } from '@openid4vc/oauth2';
import type { DpopFault, IssuanceFaults } from './issuance-options';
import type { Interceptor } from './journey';
import { isJsonObject, type JsonObject } from './json';
import type { JwtFault } from './keys';
import { insist } from './refusal';
import type { WalletState } from './wallet-state';

/** The fault for a JWT of this run, by its `typ`. */
export function jwtFaultOf(dpop: DpopFault | undefined, proof: JwtFault | undefined) {
  return (header: JsonObject): JwtFault | undefined => {
    if (header['typ'] === 'openid4vci-proof+jwt') return proof;
    return header['typ'] === 'dpop+jwt' && typeof dpop === 'object' ? dpop : undefined;
  };
}

/** The signer of DPoP proofs, or undefined for a wallet that sends none. */
export async function dpopOf(
  wallet: WalletState,
  fault: DpopFault | undefined,
  nonce?: string,
): Promise<RequestDpopOptions | undefined> {
  if (fault === 'none') return undefined;
  const key = fault === 'other_key' ? await wallet.keys.create() : await wallet.dpopKey();
  return { signer: { method: 'jwk', alg: 'ES256', publicJwk: key.publicJwk }, ...(nonce ? { nonce } : {}) };
}

const twice =
  (next: (request: Request) => Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    await next(request.clone());
    return next(request);
  };

/**
 * Removes `user_pin`, which the library keeps from an old draft, from the token request, and applies the faults of that
 * request.
 */
export function tokenInterceptor(faults: IssuanceFaults): Interceptor {
  return async (request, next) => {
    const form = new URLSearchParams(await request.text());
    form.delete('user_pin');
    faults.tokenRequest?.(form);
    const changed = new Request(request.url, { method: 'POST', headers: request.headers, body: form.toString() });
    return faults.repeat === 'token' ? twice(next)(changed) : next(changed);
  };
}

/**
 * Applies the faults of the credential request: to its JSON before encryption, then to its headers and its repetition.
 */
export function credentialInterceptor(faults: IssuanceFaults, encryption?: Interceptor): Interceptor {
  return async (request, next) => {
    const body: unknown = JSON.parse(await request.text());
    insist(isJsonObject(body), 'request_malformed', 'the credential request is not a JSON object');
    const { method, headers, url } = request;
    const changed = JSON.stringify(faults.credentialRequest ? faults.credentialRequest(body) : body);
    const send = (outgoing: Request): Promise<Response> => {
      faults.credentialHeaders?.(outgoing.headers);
      return faults.repeat === 'credential' ? twice(next)(outgoing) : next(outgoing);
    };
    const outgoing = new Request(url, { method, headers, body: changed });
    return encryption ? encryption(outgoing, send) : send(outgoing);
  };
}
