import { sha256 } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import { OAuthError, parseDpopAuthorization, requireTokenKey, type VerifiedNonce } from '@vestibule/oauth';
import { issuerEndpoints } from '@vestibule/oid4vci';
import { judgeAccessToken } from '../domain/access-token';
import type { AuthorizedGrant, Grant } from '../domain/issuance';
import type { Issuances } from '../domain/ports';
import { proofReplayed, type UnspentProof, type VerifyWalletProof } from './wallet-proof';

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
 * The row of a token decides nothing about claims: somebody who can write rows could insert one. Throws
 * `record_altered` if the token was not made for this offer and wallet.
 */
function requireBinding(accessToken: string, grant: Grant): void {
  const { binding, walletStatus } = grant;
  if (!binding) return;
  const judgement = judgeAccessToken(accessToken, {
    ...grant,
    key: binding.key,
    hasStatus: walletStatus !== undefined,
  });
  if (judgement === 'bound' || (judgement === 'unbound' && !binding.isRequired)) return;
  throw new ProcessingFailure('record_altered', 'an access token was not made for the offer and the wallet of its row');
}

/**
 * Authorizes requests to a protected endpoint: the holder of a DPoP-bound token (RFC 9449 §7). The proof is verified
 * before the token is looked up, so that one statement can do both: find the token and spend the proof. It is spent only
 * with a token of its key. An unknown token is still the first thing that is refused. Throws `invalid_token`,
 * `invalid_request`, `invalid_dpop_proof`, `use_dpop_nonce` or `record_altered`.
 */
export function authorizeWallet({ issuerUrl, findGrant, verifyProof }: AuthorizeWalletDeps) {
  return async function authorizeWallet(request: ProtectedRequest, now: Date): Promise<AuthorizedGrant> {
    const { authorization, dpop, endpoint, nonces = [] } = request;
    const accessToken = parseDpopAuthorization(authorization);
    const digests = nonces.map(({ digest }) => digest);
    const find = async (presented?: UnspentProof) => {
      const grant = await findGrant(sha256(accessToken), now, digests, presented);
      if (!grant) throw new OAuthError('invalid_token', 'access_token_unknown');
      return grant;
    };
    const token = { accessToken, binding: 'compared_by_caller' } as const;
    let presented: UnspentProof;
    try {
      presented = await verifyProof({ dpop, url: issuerEndpoints(issuerUrl)[endpoint], token, now });
    } catch (refusal) {
      await find();
      throw refusal;
    }
    const grant = await find(presented);
    requireTokenKey(presented.thumbprint, grant.thumbprint);
    requireBinding(accessToken, grant);
    if (grant.isProofFresh !== true) throw proofReplayed('dpop_proof');
    return { ...grant, accessToken };
  };
}

export type AuthorizeWallet = ReturnType<typeof authorizeWallet>;
