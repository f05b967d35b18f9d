import type { IssuanceEvent } from '@vestibule/contracts';
import { createSecret, sha256 } from '@vestibule/crypto';
import type { Clock, JsonObject } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import {
  buildAuthorizationDetails,
  grantAuthorizationDetails,
  issuerEndpoints,
  parseTokenRequest,
  requireTxCodeAsOffered,
  WRONG_TX_CODE,
  type GrantedCredential,
  type TokenRequest,
} from '@vestibule/oid4vci';
import { failedEvent } from '../domain/issuance-event';
import { authenticateClient, type AuthenticateClientDeps } from './authenticate-client';
import { freshDpopNonce, verifyWalletProof, type WalletProofDeps } from './wallet-proof';

/** What the token endpoint needs to know of an offer that its code still opens. */
export interface RedeemableOffer {
  readonly offerId: string;
  readonly configurationId: string;
  readonly hasTxCode: boolean;
  /** The claims come later: the token has to live until then. */
  readonly isDeferred: boolean;
  readonly expiresAt: Date;
}

/** One attempt to redeem a code. */
export interface Redemption {
  readonly offerId: string;
  readonly codeDigest: Uint8Array;
  readonly txCode: string | undefined;
  readonly tokenDigest: Uint8Array;
  readonly tokenExpiresAt: Date;
  /** RFC 7638 thumbprint of the key that the token is bound to. */
  readonly thumbprint: string;
  /** The wallet that authenticated; undefined for an anonymous one. */
  readonly clientId: string | undefined;
  readonly granted: readonly GrantedCredential[];
  readonly now: Date;
  /** Goes out when this attempt is the last one allowed and fails. */
  readonly failedEvent: IssuanceEvent;
}

export interface ExchangePreAuthorizedCodeDeps extends WalletProofDeps, AuthenticateClientDeps {
  readonly clock: Clock;
  /** How long a wallet may wait for a promised credential. */
  readonly deferredSeconds: number;
  readonly findRedeemable: (codeDigest: Uint8Array, now: Date) => Promise<RedeemableOffer | undefined>;
  /** One statement: compares the transaction code, counts the attempt or binds the token; one caller redeems a code. */
  readonly redeem: (redemption: Redemption) => Promise<'redeemed' | 'wrong_tx_code' | 'ended' | 'gone'>;
}

export interface TokenInput {
  readonly form: readonly (readonly [string, string])[];
  readonly dpop: readonly string[];
  /** Values of `Authorization`, which holds no client authentication that this server knows. */
  readonly authorization?: readonly string[] | undefined;
  /** Values of `OAuth-Client-Attestation` and of `OAuth-Client-Attestation-PoP`. */
  readonly clientAttestation?: readonly string[] | undefined;
  readonly clientAttestationPop?: readonly string[] | undefined;
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'DPoP';
  readonly expires_in: number;
  readonly authorization_details?: JsonObject[];
  /** For the `DPoP-Nonce` header of the answer. */
  readonly dpop_nonce?: string;
}

const TOKEN_SECONDS = 300;

/** There are no refresh tokens: a token for a deferred offer lives as long as the wallet may have to wait. */
function secondsLeft(offer: RedeemableOffer, now: Date, deferredSeconds: number): number {
  if (offer.isDeferred) return deferredSeconds;
  const left = Math.floor((offer.expiresAt.getTime() - now.getTime()) / 1000);
  return Math.max(1, Math.min(TOKEN_SECONDS, left));
}

/** A wallet whose proofs hold and are not spent yet. */
interface VerifiedWallet {
  readonly thumbprint: string;
  readonly clientId: string | undefined;
  /** Throws `invalid_client` or `invalid_dpop_proof` for a proof that was used before. */
  spendProofs(): Promise<void>;
}

async function verifyWallet(
  deps: ExchangePreAuthorizedCodeDeps,
  { clientAttestation = [], clientAttestationPop = [], authorization = [], dpop }: TokenInput,
  { clientId, usesUnknownAuthentication }: TokenRequest,
  now: Date,
): Promise<VerifiedWallet> {
  if (usesUnknownAuthentication || authorization.length > 0)
    throw new OAuthError('invalid_client', 'client_authentication_unsupported');
  const presented = { attestation: clientAttestation, pop: clientAttestationPop, clientId };
  const client = await authenticateClient(deps, presented, now);
  const url = issuerEndpoints(deps.issuerUrl).token;
  const proof = await verifyWalletProof(deps, { dpop, url, token: 'unbound', now });
  return {
    thumbprint: proof.thumbprint,
    clientId: client.clientId,
    async spendProofs() {
      await client.spend();
      await proof.spend();
    },
  };
}

function notRedeemed(outcome: 'wrong_tx_code' | 'ended' | 'gone'): OAuthError {
  if (outcome === 'gone') return new OAuthError('invalid_grant', 'code_redeemed_meanwhile');
  return new OAuthError(WRONG_TX_CODE, outcome === 'ended' ? 'tx_code_attempts_exceeded' : 'tx_code_wrong');
}

/**
 * A wallet exchanges the pre-authorized code (OpenID4VCI 1.0 §6, RFC 9449 §5). The order is form, client
 * authentication, DPoP, code, transaction code; nothing before the last check uses the code up, so that a wallet may try
 * again after a mistake. No proof is spent while another one asks for a nonce, or for a code that is not there: a
 * stranger's guesses write nothing.
 * Throws an OAuthError.
 */
export const exchangePreAuthorizedCode =
  (deps: ExchangePreAuthorizedCodeDeps) =>
  async (input: TokenInput): Promise<TokenAnswer> => {
    const now = deps.clock();
    const request = parseTokenRequest(input.form, deps.issuerUrl);
    const { thumbprint, clientId, spendProofs } = await verifyWallet(deps, input, request, now);
    const codeDigest = sha256(request.preAuthorizedCode);
    const offer = await deps.findRedeemable(codeDigest, now);
    if (!offer) throw new OAuthError('invalid_grant', 'code_not_open');
    requireTxCodeAsOffered(request, offer.hasTxCode);
    const granted = grantAuthorizationDetails(request.authorizationDetails ?? [], [offer.configurationId]);
    await spendProofs();
    const accessToken = createSecret(deps.random);
    const expiresIn = secondsLeft(offer, now, deps.deferredSeconds);
    const outcome = await deps.redeem({
      offerId: offer.offerId,
      codeDigest,
      txCode: request.txCode,
      tokenDigest: sha256(accessToken),
      tokenExpiresAt: new Date(now.getTime() + expiresIn * 1000),
      thumbprint,
      clientId,
      granted,
      now,
      failedEvent: failedEvent(offer.offerId, 'tx_code_attempts_exceeded: too many wrong transaction codes'),
    });
    if (outcome !== 'redeemed') throw notRedeemed(outcome);
    return {
      access_token: accessToken,
      token_type: 'DPoP',
      expires_in: expiresIn,
      ...(granted.length > 0 ? { authorization_details: buildAuthorizationDetails(granted) } : {}),
      ...freshDpopNonce(deps, now),
    };
  };
