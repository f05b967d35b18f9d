import { Oauth2Client } from '@openid4vc/oauth2';
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { createCallbacks } from './callbacks';
import { dpopOf, jwtFaultOf, tokenInterceptor } from './issuance-faults';
import type { RedeemOptions } from './issuance-options';
import type { ResolvedOffer } from './issuer-metadata';
import { insistNoStore, jsonBody, type Journey } from './journey';
import { isJsonObject } from './json';
import { insist } from './refusal';
import type { WalletState } from './wallet-state';

export interface Token {
  readonly accessToken: string;
  /** DPoP nonce that the server gave with the token. */
  readonly nonce?: string;
}

interface TokenRun {
  readonly wallet: WalletState;
  readonly journey: Journey;
  readonly options: RedeemOptions;
  readonly metadata: IssuerMetadataResult;
}

/** The challenge for a wallet attestation's proof of possession, from the server's `challenge_endpoint`. */
async function requestChallenge(journey: Journey, endpoint: unknown): Promise<string | undefined> {
  if (typeof endpoint !== 'string') return undefined;
  return journey.step('attestation_challenge', async () => {
    const response = await journey.fetch(endpoint, { method: 'POST' });
    if (!response.ok) throw new TypeError('the challenge endpoint refused');
    const body = jsonBody(journey.last());
    const challenge = isJsonObject(body) ? body['attestation_challenge'] : undefined;
    insist(typeof challenge === 'string', 'response_malformed', 'the answer has no attestation_challenge');
    return challenge;
  });
}

/** The token request of OpenID4VCI 1.0 §6 with DPoP, and wallet attestation if there is one. */
export async function requestToken(run: TokenRun, { preAuthorizedCode, needsTxCode }: ResolvedOffer): Promise<Token> {
  const { wallet, journey, options, metadata } = run;
  const faults = options.faults ?? {};
  insist(
    !needsTxCode || options.txCode !== undefined || faults.tokenRequest !== undefined,
    'tx_code_missing',
    'a transaction code is needed',
  );
  const [authorizationServerMetadata] = metadata.authorizationServers;
  insist(authorizationServerMetadata !== undefined, 'metadata_unsupported', 'there is no authorization server');
  const attested = options.clientAttestation;
  const challenge = attested
    ? await requestChallenge(journey, authorizationServerMetadata['challenge_endpoint'])
    : undefined;
  const client = new Oauth2Client({
    callbacks: createCallbacks({
      journey,
      keys: wallet.keys,
      now: wallet.now,
      jwtFault: jwtFaultOf(faults.tokenDpop, undefined),
      challenge: () => challenge,
      ...(attested ? { clientAttestation: attested } : {}),
    }),
  });
  const dpop = await dpopOf(wallet, faults.tokenDpop);
  const request = async (): Promise<Token> => {
    const answer = await client.retrievePreAuthorizedCodeAccessToken({
      authorizationServerMetadata,
      preAuthorizedCode,
      resource: metadata.credentialIssuer.credential_issuer,
      ...(options.txCode === undefined ? {} : { txCode: options.txCode }),
      ...(dpop ? { dpop } : {}),
    });
    const { token_type, access_token } = answer.accessTokenResponse;
    const bound = token_type.toLowerCase() === 'dpop' || faults.tokenDpop === 'none';
    insist(bound, 'token_type_wrong', 'the token is not bound to the DPoP key');
    insistNoStore(journey.last());
    const accessToken = faults.accessToken?.(access_token) ?? access_token;
    return { accessToken, ...(answer.dpop?.nonce ? { nonce: answer.dpop.nonce } : {}) };
  };
  return journey.step('token', request, tokenInterceptor(faults));
}
