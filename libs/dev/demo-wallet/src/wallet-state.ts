import type { CredentialStore } from './credential-store';
import type { Network } from './journey';
import type { KeyRing, WalletKey } from './keys';

/** Everything that outlives a single protocol run. */
export interface WalletState {
  readonly network: Network;
  readonly now: () => Date;
  readonly keys: KeyRing;
  readonly store: CredentialStore;
  /** Created on first use and kept: RFC 9449 binds all tokens of this wallet to it. */
  readonly dpopKey: () => Promise<WalletKey>;
  /** DER roots for the chains of credentials; undefined: any root. */
  readonly issuerAnchors?: readonly Uint8Array[];
  /** DER roots for the chains of request objects; undefined: any root. */
  readonly verifierAnchors?: readonly Uint8Array[];
}
