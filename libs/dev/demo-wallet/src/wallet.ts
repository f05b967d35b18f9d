import { allowLoopback } from './callbacks';
import { buildPresentation, type BuiltPresentation } from './build-presentation';
import { CredentialStore, type StoredCredential } from './credential-store';
import type { RedeemOptions } from './issuance-options';
import type { WalletStep } from './journey';
import { KeyRing, type EcPublicJwk, type WalletKey } from './keys';
import type { PresentationOptions, PresentationResult } from './presentation-options';
import { redeem, type Issuance } from './redeem-offer';
import { sendResponse } from './send-response';
import type { WalletState } from './wallet-state';

export interface WalletOptions {
  /** Default: the platform's. Redirects are never followed, whatever it does. */
  readonly fetch?: typeof fetch;
  /** Default: the system clock. */
  readonly now?: () => Date;
  /** Told of each thing that the wallet does; never of a secret. */
  readonly onStep?: (step: WalletStep) => void;
  /** DER roots for the chains of credentials; default: a chain must only be consistent in itself. */
  readonly issuerAnchors?: readonly Uint8Array[];
  /** DER roots for the chains of request objects; default: a chain must only be consistent in itself. */
  readonly verifierAnchors?: readonly Uint8Array[];
}

/** A wallet of one user, in memory. Its refusals are WalletRefusal; what a server refuses is a ServerRefusal. */
export interface Wallet {
  /** OpenID4VCI 1.0 with a pre-authorized code; gives the credentials that were issued at once. */
  redeemOffer(offerUri: string, options?: RedeemOptions): Promise<StoredCredential[]>;
  /** The same, with the credentials that the issuer promised for later. */
  redeem(offerUri: string, options?: RedeemOptions): Promise<Issuance>;
  /** OpenID4VP 1.0 under HAIP: answers the request and gives the verifier's answer, also when that is a refusal. */
  present(requestUri: string, options?: PresentationOptions): Promise<PresentationResult>;
  /** Everything of `present` but sending. */
  buildPresentation(requestUri: string, options?: PresentationOptions): Promise<BuiltPresentation>;
  /** Posts a form to a response endpoint. */
  send(responseUri: string, form: Readonly<Record<string, string>>): Promise<PresentationResult>;
  /** Makes a key that the wallet can prove possession of: to let somebody else issue a credential for it. */
  createHolderKey(): Promise<EcPublicJwk>;
  /** The key that a wallet attestation must be for; made on first use. */
  instanceKey(): Promise<EcPublicJwk>;
  /** Keeps a credential without judging it; throws `credential_malformed` when it cannot be read. */
  addCredential(compact: string): Promise<StoredCredential>;
  /** Oldest first. */
  credentials(): readonly StoredCredential[];
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Makes an empty wallet with fresh keys. */
export function createWallet(options: WalletOptions = {}): Wallet {
  allowLoopback();
  const keys = new KeyRing();
  const { onStep, issuerAnchors, verifierAnchors } = options;
  const instanceKey = once<WalletKey>(() => keys.create());
  const state: WalletState = {
    network: { fetch: options.fetch ?? fetch, ...(onStep ? { onStep } : {}) },
    now: options.now ?? (() => new Date()),
    keys,
    store: new CredentialStore(),
    dpopKey: once(() => keys.create()),
    ...(issuerAnchors ? { issuerAnchors } : {}),
    ...(verifierAnchors ? { verifierAnchors } : {}),
  };
  return {
    redeemOffer: async (offerUri, redeemOptions = {}) => (await redeem(state, offerUri, redeemOptions)).credentials,
    redeem: (offerUri, redeemOptions = {}) => redeem(state, offerUri, redeemOptions),
    present: async (requestUri, presentationOptions = {}) => {
      const { responseUri, form } = await buildPresentation(state, requestUri, presentationOptions);
      return sendResponse(state, responseUri, form);
    },
    buildPresentation: (requestUri, presentationOptions = {}) =>
      buildPresentation(state, requestUri, presentationOptions),
    send: (responseUri, form) => sendResponse(state, responseUri, form),
    createHolderKey: async () => (await keys.create()).publicJwk,
    instanceKey: async () => (await instanceKey()).publicJwk,
    addCredential: (compact) => state.store.add(compact),
    credentials: () => state.store.list(),
  };
}
