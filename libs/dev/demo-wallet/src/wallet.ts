import { allowLoopback } from './callbacks';
import { buildPresentation, type BuiltPresentation } from './build-presentation';
import { CredentialStore, type StoredCredential } from './credential-store';
import type { RedeemOptions } from './issuance-options';
import type { WalletStep } from './journey';
import type { JsonObject } from './json';
import { KeyRing, type EcPublicJwk, type WalletKey } from './keys';
import type { PresentationOptions, PresentationResult } from './presentation-options';
import { redeem, type Issuance } from './redeem-offer';
import { sendResponse } from './send-response';
import type { WalletState } from './wallet-state';

export interface WalletOptions {
  /** Default: the platform's. Redirects are never followed, whatever this function does. */
  readonly fetch?: typeof fetch;
  /** Default: the system clock. */
  readonly now?: () => Date;
  /** Called for each step of the wallet; never with a secret. */
  readonly onStep?: (step: WalletStep) => void;
  /** DER roots for the chains of credentials; by default a chain only has to be consistent. */
  readonly issuerAnchors?: readonly Uint8Array[];
  /** DER roots for the chains of request objects; by default a chain only has to be consistent. */
  readonly verifierAnchors?: readonly Uint8Array[];
}

/** A wallet of one user, in memory. Its own refusals are WalletRefusal; a server's refusal is a ServerRefusal. */
export interface Wallet {
  /** OpenID4VCI 1.0 with a pre-authorized code; returns the credentials that were issued immediately. */
  redeemOffer(offerUri: string, options?: RedeemOptions): Promise<StoredCredential[]>;
  /** The same, including the credentials that the issuer deferred. */
  redeem(offerUri: string, options?: RedeemOptions): Promise<Issuance>;
  /** OpenID4VP 1.0 under HAIP: answers the request and returns the verifier's answer, even if that is a refusal. */
  present(requestUri: string, options?: PresentationOptions): Promise<PresentationResult>;
  /** `present` without sending anything. */
  buildPresentation(requestUri: string, options?: PresentationOptions): Promise<BuiltPresentation>;
  /** Posts a form to a response endpoint. */
  send(responseUri: string, form: Readonly<Record<string, string>>): Promise<PresentationResult>;
  /** Creates a key that the wallet can prove possession of, so that another issuer can bind a credential to it. */
  createHolderKey(): Promise<EcPublicJwk>;
  /** The key that a wallet attestation must be for; created on first use. */
  instanceKey(): Promise<EcPublicJwk>;
  /** Stores a credential without verifying it; throws `credential_malformed` if it cannot be parsed. */
  addCredential(compact: string): Promise<StoredCredential>;
  /** Oldest first. */
  credentials(): readonly StoredCredential[];
  /** Everything to keep, with private keys. */
  save(): Promise<SavedWallet>;
  /** Adds what was saved; throws `wallet_file_malformed` or `credential_malformed`. */
  restore(saved: SavedWallet): Promise<void>;
}

/** A wallet between two runs. It holds private keys. */
export interface SavedWallet {
  readonly keys: readonly JsonObject[];
  readonly credentials: readonly SavedCredential[];
}

interface SavedCredential {
  readonly compact: string;
  readonly configurationId?: string;
}

async function save({ keys, store }: WalletState): Promise<SavedWallet> {
  const credentials = store
    .list()
    .map(({ compact, configurationId }) => ({ compact, ...(configurationId ? { configurationId } : {}) }));
  return { keys: (await keys.exportAll()).map((jwk) => ({ ...jwk })), credentials };
}

async function restore({ keys, store }: WalletState, saved: SavedWallet): Promise<void> {
  for (const jwk of saved.keys) await keys.add(jwk);
  for (const { compact, configurationId } of saved.credentials) await store.add(compact, configurationId);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Creates an empty wallet with new keys. */
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
    save: () => save(state),
    restore: (saved) => restore(state, saved),
  };
}
