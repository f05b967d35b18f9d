import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  CredentialRequestClientBuilderV1_0_15,
  OpenID4VCIClientV1_0_15,
  ProofOfPossessionBuilder,
} from '@sphereon/oid4vci-client';
import { exportJWK, SignJWT, type JWK } from 'jose';

type Client = OpenID4VCIClientV1_0_15;
type TokenOptions = NonNullable<Parameters<Client['acquireAccessToken']>[0]>;
type DpopOptions = NonNullable<TokenOptions['createDPoPOpts']>;
type RequestClient = ReturnType<CredentialRequestClientBuilderV1_0_15['build']>;
type CredentialRequest = Parameters<RequestClient['acquireCredentialsUsingRequest']>[0];
type ProofCallbacks = Parameters<typeof ProofOfPossessionBuilder.fromAccessTokenResponse>[0]['callbacks'];

const FORMAT = 'dc+sd-jwt';

interface HolderKey {
  readonly key: KeyObject;
  readonly jwk: JWK;
}

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

function credentialsIn(answer: unknown): readonly string[] {
  const { credentials } = answer as { credentials: { credential: string }[] };
  return credentials.map(({ credential }) => credential);
}

/**
 * Redeems an offer with a wallet library that shares no code with the demo wallet's. It knows a draft close to the final
 * text: offer, metadata, token request with DPoP, nonce request, key proofs and the credential exchange are the library's
 * own; only the member `proof` of its request is replaced by `proofs`, as the final text names it.
 */
export async function redeemWithSecondWallet(
  uri: string,
  { txCode, batch = 1 }: SecondWalletOptions = {},
): Promise<SecondIssuance> {
  const dpop = dpopSigner(await createKey());
  const client = await OpenID4VCIClientV1_0_15.fromURI({ uri });
  await client.acquireAccessToken({
    createDPoPOpts: dpop.options,
    ...(txCode === undefined ? {} : { pin: txCode }),
  });
  const nonce = await client.acquireNonce();
  const keys = await Promise.all(Array.from({ length: batch }, createKey));
  const proofs = await Promise.all(keys.map((key) => proofOf(client, key, nonce)));
  const { credentialOffer } = client;
  if (!credentialOffer) throw new TypeError('the library lost the offer');
  const requests = CredentialRequestClientBuilderV1_0_15.fromCredentialOffer({
    credentialOffer,
    metadata: client.endpointMetadata,
  })
    .withTokenFromResponse(client.accessTokenResponse)
    .build();
  const drafted = await requests.createCredentialRequestWithoutProof({ format: FORMAT, version: client.version() });
  const request = { ...drafted, proofs: { jwt: proofs } } as unknown as CredentialRequest;
  const { successBody, errorBody } = await requests.acquireCredentialsUsingRequest(request, FORMAT, dpop.options);
  if (!successBody) throw new Error(`the credential endpoint refused: ${errorBody?.error}`);
  return { credentials: credentialsIn(successBody), keys: keys.map(({ jwk }) => jwk), dpopProofs: dpop.count() };
}
