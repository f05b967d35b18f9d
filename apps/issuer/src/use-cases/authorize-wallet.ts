import { sha256, type PublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { OAuthError, parseDpopAuthorization, type VerifiedNonce } from '@vestibule/oauth';
import type { GrantedCredential } from '@vestibule/oid4vci';
import type { Deferral } from '../domain/credential-offer';
import { verifyWalletProof, type WalletProofDeps } from './wallet-proof';

/** What an access token allows. */
export interface Grant {
  readonly offerId: string;
  readonly configurationId: string;
  readonly status: 'OFFER_CREATED' | 'ISSUED' | 'FAILED';
  /** Undefined when the offer has ended: its claims are gone, unless they are kept after ISSUED. */
  readonly claims: JsonObject | undefined;
  /** Only of a deferred offer: names the claims as they were read, until the backend replaces them. */
  readonly claimsVersion?: Uint8Array;
  readonly thumbprint: string;
  readonly granted: readonly GrantedCredential[];
  /** The wallet that authenticated at the token endpoint; undefined for an anonymous one. */
  readonly clientId: string | undefined;
  /** Digests of those of the presented nonces that were used before. */
  readonly usedNonces: readonly Uint8Array[];
  /** Only of a deferred offer, with what a wallet was promised last. */
  readonly deferral?: {
    readonly state: Deferral;
    readonly transaction?: { readonly digest: Uint8Array; readonly keys: readonly PublicJwk[] };
  };
}

export interface AuthorizeWalletDeps extends WalletProofDeps {
  /** One statement: what the token allows, and which of these nonces were used before. */
  readonly findGrant: (
    tokenDigest: Uint8Array,
    now: Date,
    nonceDigests: readonly Uint8Array[],
  ) => Promise<Grant | undefined>;
}

/** The headers of a protected request, and the public address that it came to. */
export interface ProtectedRequest {
  readonly authorization: readonly string[];
  readonly dpop: readonly string[];
  readonly url: string;
  /** Nonces that the request brings for single use, before anything of it was judged. */
  readonly nonces?: readonly VerifiedNonce[];
}

/**
 * Who may ask at a protected endpoint: the holder of a DPoP-bound token (RFC 9449 §7). The proof is spent.
 * Throws `invalid_token`, `invalid_request`, `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export async function authorizeWallet(
  deps: AuthorizeWalletDeps,
  { authorization, dpop, url, nonces = [] }: ProtectedRequest,
  now: Date,
): Promise<Grant> {
  const accessToken = parseDpopAuthorization(authorization);
  const digests = nonces.map(({ digest }) => digest);
  const grant = await deps.findGrant(sha256(accessToken), now, digests);
  if (!grant) throw new OAuthError('invalid_token', 'access_token_unknown');
  const token = { accessToken, thumbprint: grant.thumbprint };
  const proof = await verifyWalletProof(deps, { dpop, url, token, now });
  await proof.spend();
  return grant;
}
