import type { PublicJwk } from '@vestibule/crypto';
import { OAuthError, type AttestationStatus } from '@vestibule/oauth';
import { issuerEndpoints, type TokenRequest } from '@vestibule/oid4vci';
import type { SpendableProof } from '../domain/spendable-proof';
import type { AuthenticateClient } from './authenticate-client';
import type { VerifyWalletProof } from './wallet-proof';

export interface VerifyWalletDeps {
  readonly issuerUrl: string;
  readonly authenticateClient: AuthenticateClient;
  readonly verifyProof: VerifyWalletProof;
}

/** The headers of a token request. */
export interface TokenHeaders {
  readonly dpop: readonly string[];
  /** Values of `Authorization`, which this server does not support for client authentication. */
  readonly authorization?: readonly string[] | undefined;
  /** Values of `OAuth-Client-Attestation` and of `OAuth-Client-Attestation-PoP`. */
  readonly clientAttestation?: readonly string[] | undefined;
  readonly clientAttestationPop?: readonly string[] | undefined;
}

/** A wallet whose proofs are valid and not spent yet. */
export interface VerifiedWallet {
  readonly thumbprint: string;
  /** The key of its DPoP proof. */
  readonly key: PublicJwk;
  readonly clientId: string | undefined;
  /** What its attestation says about its status, unchecked; undefined for an anonymous wallet. */
  readonly status: AttestationStatus | undefined;
  /** Its proof of possession, if it is not anonymous, and its DPoP proof. */
  readonly proofs: readonly SpendableProof[];
}

/** Verifies the sender of a token request: client authentication, then DPoP. Throws an OAuthError. */
export function verifyWallet({ issuerUrl, authenticateClient, verifyProof }: VerifyWalletDeps) {
  return async function verifyWallet(headers: TokenHeaders, request: TokenRequest, now: Date): Promise<VerifiedWallet> {
    const { clientAttestation = [], clientAttestationPop = [], authorization = [], dpop } = headers;
    if (request.usesUnknownAuthentication || authorization.length > 0)
      throw new OAuthError('invalid_client', 'client_authentication_unsupported');
    const { clientId } = request;
    const client = await authenticateClient(
      { attestation: clientAttestation, pop: clientAttestationPop, clientId },
      now,
    );
    const url = issuerEndpoints(issuerUrl).token;
    const { thumbprint, key, proof } = await verifyProof({ dpop, url, token: 'unbound', now });
    const { status } = client;
    return { thumbprint, key, clientId: client.clientId, status, proofs: [...client.proofs, proof] };
  };
}

export type VerifyWallet = ReturnType<typeof verifyWallet>;
