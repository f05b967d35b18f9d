import { preAuthorizedCodeGrantIdentifier } from '@openid4vc/oauth2';
import type { compactDecrypt, JWK } from 'jose';
import type { JsonObject } from '../json';
import type { Answer } from './loopback';
import type { Signer } from './server-callbacks';

export type IssuerEndpoint =
  | 'offer'
  | 'issuer_metadata'
  | 'server_metadata'
  | 'token'
  | 'nonce'
  | 'credential'
  | 'deferred'
  | 'notification'
  | 'challenge'
  | 'type';

export interface IssuerOptions {
  readonly signer: Signer;
  readonly txCode?: string;
  /** Defers the credential request; the second deferred request succeeds. */
  readonly deferred?: boolean;
  /** Requires a wallet attestation with a challenge. */
  readonly attestation?: boolean;
  /** Requires this DPoP nonce at both endpoints. */
  readonly dpopNonce?: string;
  /** Replaces the issued credential. */
  readonly credential?: (jwk: object) => Promise<string>;
  /** Changes an answer. */
  readonly alter?: (endpoint: IssuerEndpoint, answer: Answer) => Answer;
}

export const CODE = 'pre-authorized-code-1';
export const CHALLENGE = 'attestation-challenge-1';
const ENCODINGS = ['A128GCM', 'A256GCM'];

/** The issuer's key for encrypted requests. */
export interface Keys {
  readonly privateKey: Parameters<typeof compactDecrypt>[1];
  readonly jwk: JWK & { kty: string };
}

/** OpenID4VCI 1.0 §12.2.4. */
export function issuerMetadata(issuer: string, { jwk }: Keys): JsonObject {
  return {
    credential_issuer: issuer,
    credential_endpoint: `${issuer}/credential`,
    nonce_endpoint: `${issuer}/nonce`,
    deferred_credential_endpoint: `${issuer}/deferred`,
    notification_endpoint: `${issuer}/notification`,
    batch_credential_issuance: { batch_size: 3 },
    credential_request_encryption: {
      jwks: { keys: [jwk] },
      enc_values_supported: ENCODINGS,
      encryption_required: false,
    },
    credential_response_encryption: {
      alg_values_supported: ['ECDH-ES'],
      enc_values_supported: ENCODINGS,
      encryption_required: false,
    },
    credential_configurations_supported: {
      pid: {
        format: 'dc+sd-jwt',
        vct: `${issuer}/types/pid`,
        scope: 'pid',
        cryptographic_binding_methods_supported: ['jwk'],
        credential_signing_alg_values_supported: ['ES256'],
        proof_types_supported: {
          jwt: { proof_signing_alg_values_supported: ['ES256'] },
          attestation: { proof_signing_alg_values_supported: ['ES256'] },
        },
        credential_metadata: { display: [{ name: 'PID', locale: 'en' }] },
      },
    },
  };
}

/** RFC 8414 §2. */
export const serverMetadata = (issuer: string, attestation: boolean): JsonObject => ({
  issuer,
  token_endpoint: `${issuer}/token`,
  grant_types_supported: [preAuthorizedCodeGrantIdentifier],
  dpop_signing_alg_values_supported: ['ES256'],
  ...(attestation
    ? { token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'], challenge_endpoint: `${issuer}/challenge` }
    : { 'pre-authorized_grant_anonymous_access_supported': true }),
});
