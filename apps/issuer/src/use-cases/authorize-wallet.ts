import { sha256 } from '@vestibule/crypto';
import { OAuthError, parseDpopAuthorization, type VerifiedNonce } from '@vestibule/oauth';
import { issuerEndpoints } from '@vestibule/oid4vci';
import type { AuthorizedGrant } from '../domain/issuance';
import type { Issuances } from '../domain/ports';
import type { VerifyWalletProof } from './wallet-proof';

export interface AuthorizeWalletDeps {
  readonly issuerUrl: string;
  readonly findGrant: Issuances['findGrant'];
  readonly verifyProof: VerifyWalletProof;
}

/** The headers of a protected request, and its endpoint. */
export interface ProtectedRequest {
  readonly authorization: readonly string[];
  readonly dpop: readonly string[];
  readonly endpoint: 'credential' | 'deferredCredential' | 'notification';
  /** Single-use nonces in the request, before any of it was verified. */
  readonly nonces?: readonly VerifiedNonce[];
}

/**
 * Authorizes requests to a protected endpoint: the holder of a DPoP-bound token (RFC 9449 §7). The proof is spent.
 * Throws `invalid_token`, `invalid_request`, `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export function authorizeWallet({ issuerUrl, findGrant, verifyProof }: AuthorizeWalletDeps) {
  return async function authorizeWallet(request: ProtectedRequest, now: Date): Promise<AuthorizedGrant> {
    const { authorization, dpop, endpoint, nonces = [] } = request;
    const accessToken = parseDpopAuthorization(authorization);
    const digests = nonces.map(({ digest }) => digest);
    const grant = await findGrant(sha256(accessToken), now, digests);
    if (!grant) throw new OAuthError('invalid_token', 'access_token_unknown');
    const token = { accessToken, thumbprint: grant.thumbprint };
    const proof = await verifyProof({ dpop, url: issuerEndpoints(issuerUrl)[endpoint], token, now });
    await proof.spend();
    return { ...grant, accessToken };
  };
}

export type AuthorizeWallet = ReturnType<typeof authorizeWallet>;
