import { generateKeyPairSync } from 'node:crypto';
import {
  CredentialRequestClientBuilderV1_0_15,
  OpenID4VCIClientV1_0_15,
  ProofOfPossessionBuilder,
} from '@sphereon/oid4vci-client';
import { exportJWK, SignJWT, type JWK } from 'jose';
import { proveWith, type HolderKey } from './second-wallet-fetch';

type Client = OpenID4VCIClientV1_0_15;
type TokenOptions = NonNullable<Parameters<Client['acquireAccessToken']>[0]>;
type DpopOptions = NonNullable<TokenOptions['createDPoPOpts']>;
type RequestClient = ReturnType<CredentialRequestClientBuilderV1_0_15['build']>;
type CredentialRequest = Parameters<RequestClient['acquireCredentialsUsingRequest']>[0];
type ProofCallbacks = Parameters<typeof ProofOfPossessionBuilder.fromAccessTokenResponse>[0]['callbacks'];

const FORMAT = 'dc+sd-jwt';

type NotificationEvent = Parameters<Client['sendNotification']>[1]['event'];
type NotificationResult = Awaited<ReturnType<Client['sendNotification']>>;

export interface SecondWalletOptions {
  readonly txCode?: string;
  /** Credentials, each with a key of its own; default 1. */
  readonly batch?: number;
}

/** What a wallet got, and what it took. */
export interface SecondIssuance {
  readonly credentials: readonly string[];
  /** The keys that credentials were asked for, in the order of the proofs. */
  readonly keys: readonly JWK[];
  /** DPoP proofs that were made: two more than without nonces when both endpoints asked for one. */
  readonly dpopProofs: number;
}

async function createKey(): Promise<HolderKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key: privateKey, jwk: await exportJWK(publicKey) };
}

/** The signer of DPoP proofs; the library itself puts nonces in and repeats requests. */
function dpopSigner({ key, jwk }: HolderKey) {
  let made = 0;
  const options = {
    jwtIssuer: { alg: 'ES256', jwk },
    dPoPSigningAlgValuesSupported: ['ES256'],
    jwtPayloadProps: {},
    createJwtCallback: (_signer: unknown, jwt: { header: object; payload: object }) => {
      made += 1;
      return new SignJWT({ ...jwt.payload }).setProtectedHeader({ ...jwt.header, alg: 'ES256' }).sign(key);
    },
  };
  return { options: options as unknown as DpopOptions, count: () => made };
}

async function proofOf(client: Client, { key, jwk }: HolderKey, nonce: string): Promise<string> {
  const signCallback = (jwt: { header: object; payload: object }) =>
    new SignJWT({ ...jwt.payload }).setProtectedHeader({ ...jwt.header, alg: 'ES256' }).sign(key);
  const proof = await ProofOfPossessionBuilder.fromAccessTokenResponse({
    accessTokenResponse: client.accessTokenResponse,
    callbacks: { signCallback } as unknown as ProofCallbacks,
    version: client.version(),
  })
    .withIssuer(client.getIssuer())
    .withAlg('ES256')
    .withJWK(jwk)
    .withAccessTokenNonce(nonce)
    .build();
  return proof.jwt;
}

interface Answer {
  readonly credentials?: readonly { readonly credential: string }[];
  readonly transaction_id?: string;
  readonly interval?: number;
  readonly notification_id?: string;
}

const credentialsIn = ({ credentials = [] }: Answer) => credentials.map(({ credential }) => credential);

function requestsOf(client: Client): RequestClient {
  const { credentialOffer, endpointMetadata: metadata } = client;
  if (!credentialOffer) throw new TypeError('the library lost the offer');
  const { deferred_credential_endpoint: deferred } = metadata.credentialIssuerMetadata ?? {};
  const builder = CredentialRequestClientBuilderV1_0_15.fromCredentialOffer({ credentialOffer, metadata });
  if (deferred !== undefined) builder.withDeferredCredentialEndpoint(deferred);
  return builder.withTokenFromResponse(client.accessTokenResponse).build();
}

async function ask(uri: string, { txCode, batch = 1 }: SecondWalletOptions) {
  const dpopKey = await createKey();
  const dpop = dpopSigner(dpopKey);
  const client = await OpenID4VCIClientV1_0_15.fromURI({ uri });
  await client.acquireAccessToken({
    createDPoPOpts: dpop.options,
    ...(txCode === undefined ? {} : { pin: txCode }),
  });
  proveWith(client.accessTokenResponse.access_token, dpopKey);
  const nonce = await client.acquireNonce();
  const keys = await Promise.all(Array.from({ length: batch }, createKey));
  const proofs = await Promise.all(keys.map((key) => proofOf(client, key, nonce)));
  const requests = requestsOf(client);
  const drafted = await requests.createCredentialRequestWithoutProof({ format: FORMAT, version: client.version() });
  const request = { ...drafted, proofs: { jwt: proofs } } as unknown as CredentialRequest;
  const { successBody, errorBody } = await requests.acquireCredentialsUsingRequest(request, FORMAT, dpop.options);
  if (!successBody) throw new Error(`the credential endpoint refused: ${errorBody?.error}`);
  return { client, requests, keys: keys.map(({ jwk }) => jwk), dpop, answer: successBody as unknown as Answer };
}

/**
 * Redeems an offer with a wallet library that shares no code with the demo wallet's. It knows a draft close to the final
 * text: offer, metadata, token request with DPoP, nonce request, key proofs and the credential exchange are the library's
 * own; only the member `proof` of its request is replaced by `proofs`, as the final text names it.
 */
export async function redeemWithSecondWallet(uri: string, options: SecondWalletOptions = {}): Promise<SecondIssuance> {
  const { keys, dpop, answer } = await ask(uri, options);
  return { credentials: credentialsIn(answer), keys, dpopProofs: dpop.count() };
}

/** A promise to the second wallet, and what it does with it by its library's own calls. */
export interface SecondPromise {
  readonly keys: readonly JWK[];
  readonly intervalSeconds: number | undefined;
  /** One deferred credential request; undefined while the credential is still to come. Throws what the library throws. */
  collect(): Promise<readonly string[] | undefined>;
  /** Reports on what was collected. */
  notify(event: `${NotificationEvent}`, notificationId?: string): Promise<NotificationResult>;
}

/** Redeems an offer whose claims are still to come. The library's `fetch` has to be `fetchWithProof`. */
export async function promiseToSecondWallet(uri: string, options: SecondWalletOptions = {}): Promise<SecondPromise> {
  const { client, requests, keys, answer } = await ask(uri, options);
  if (!requests.isDeferred()) throw new Error('the library sees no promise');
  const bearerToken = client.accessTokenResponse.access_token;
  let notificationId: string | undefined;
  return {
    keys,
    intervalSeconds: answer.interval,
    async collect() {
      const promised = { transaction_id: answer.transaction_id as string };
      const { successBody, errorBody } = await requests.acquireDeferredCredential(promised, { bearerToken });
      if (!successBody) throw new Error(`the deferred credential endpoint refused: ${errorBody?.error}`);
      const collected = successBody as unknown as Answer;
      notificationId = collected.notification_id;
      return collected.credentials && credentialsIn(collected);
    },
    notify(event, id = notificationId) {
      const notificationEndpoint = client.endpointMetadata.credentialIssuerMetadata?.notification_endpoint;
      if (id === undefined || notificationEndpoint === undefined) throw new TypeError('there is nothing to report on');
      const report = { notification_id: id, event: event as NotificationEvent };
      return client.sendNotification({ notificationEndpoint }, report, bearerToken);
    },
  };
}
