import { randomUUID } from 'node:crypto';
import { nowSeconds, rawSignature, signJwt, type Holder } from '../src/handmade-credential';
import type { RequestChange } from '../src/issuance-bench';
import { WALLET_NAME } from '../src/wallet-attesters';
import type { Client } from './offer-state';
import type { World } from './world';

/** Adds to a token request what authenticates the wallet, with an instance key (OpenID4VCI 1.0 Appendix E). */
export async function authenticate(world: World, instance: Holder, client: Client): Promise<RequestChange> {
  const { attesters, bench } = world;
  if (!attesters || client === 'anonymous') return () => ({});
  const by = client === 'stranger' ? client : undefined;
  const attestation = await attesters.attestWallet(instance.jwk as never, {}, by);
  const proof = signJwt({
    header: { alg: 'ES256', typ: 'oauth-client-attestation-pop+jwt' },
    payload: { iss: WALLET_NAME, aud: bench.stage.stack.issuerUrl, jti: randomUUID(), iat: nowSeconds() },
    key: instance.key,
    signature: rawSignature,
  });
  const added = [['oauth-client-attestation', attestation] as const, ['oauth-client-attestation-pop', proof] as const];
  return ({ headers }) => ({ headers: [...headers, ...added] });
}
