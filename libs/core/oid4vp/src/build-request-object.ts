import { signCompactJwsBy, type SignBytes } from '@vestibule/crypto';
import { toNumericDate, type JsonObject } from '@vestibule/foundation';
import type { FlowVariant } from './flow-variant';
import { RESPONSE_MODE } from './response-mode';

/** The content of the request object, apart from its signer. */
export interface RequestObjectInput {
  readonly clientId: string;
  readonly responseUri: string;
  readonly state: string;
  readonly variant: FlowVariant;
  /** The query exactly as the backend gave it. */
  readonly dcqlQuery: JsonObject;
  /** The encoded transaction data; an empty list leaves the parameter out. */
  readonly transactionData: readonly string[];
  /** What wallets are told about this relying party (OpenID4VP 1.0 §5.1); an empty list leaves the parameter out. */
  readonly verifierInfo?: readonly JsonObject[];
  /** What wallets are told about the name of this relying party, as far as their profile allows it. Default: nothing. */
  readonly clientMetadata?: JsonObject;
  readonly now: Date;
  readonly expiresAt: Date;
  /** Copied from the wallet's POST, and only then (OpenID4VP 1.0 §5.10.1). */
  readonly walletNonce?: string;
}

/** The access certificate's key and its chain without the trust anchor, base64 DER, leaf first. */
export interface RequestSigner {
  readonly sign: SignBytes;
  readonly x5c: readonly string[];
}

const STATIC_DISCOVERY_AUDIENCE = 'https://self-issued.me/v2';

/**
 * `client_metadata`: the encryption key of this flow and what is supported (HAIP 1.0 §5), beside what the operator adds.
 * Wallets ignore other members unless their profile defines them (OpenID4VP 1.0 §5.1).
 */
function clientMetadata(variant: FlowVariant, added: JsonObject = {}): JsonObject {
  return {
    ...added,
    jwks: { keys: [{ ...variant.publicJwk, use: 'enc', alg: 'ECDH-ES', kid: variant.kid }] },
    encrypted_response_enc_values_supported: ['A256GCM', 'A128GCM'],
    vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256', 'ES384'] } },
  };
}

/**
 * Signs the authorization request (OpenID4VP 1.0 §5, RFC 9101, HAIP 1.0 §5.1): ES256, `x5c`, everything that counts
 * inside the JWT. Built afresh for each fetch; state, nonce and key stay those of the flow variant. Throws what the
 * signer throws.
 */
export async function buildRequestObject(input: RequestObjectInput, signer: RequestSigner): Promise<string> {
  const claims: JsonObject = {
    response_type: 'vp_token',
    response_mode: RESPONSE_MODE,
    client_id: input.clientId,
    aud: STATIC_DISCOVERY_AUDIENCE,
    response_uri: input.responseUri,
    nonce: input.variant.nonce,
    state: input.state,
    iat: toNumericDate(input.now),
    exp: toNumericDate(input.expiresAt),
    dcql_query: input.dcqlQuery,
    client_metadata: clientMetadata(input.variant, input.clientMetadata),
  };
  if (input.transactionData.length > 0) claims['transaction_data'] = [...input.transactionData];
  if (input.verifierInfo?.length) claims['verifier_info'] = [...input.verifierInfo];
  if (input.walletNonce !== undefined) claims['wallet_nonce'] = input.walletNonce;
  return signCompactJwsBy({ typ: 'oauth-authz-req+jwt', x5c: [...signer.x5c] }, claims, signer.sign);
}
