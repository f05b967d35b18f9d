import type { Wallet } from '@vestibule/demo-wallet';
import type { IssuerIdentity } from './mint';
import type { WalletProfile } from './profiles';

/** A place in a status list that a verifier can fetch. */
export interface StatusReference {
  readonly uri: string;
  readonly idx: number;
}

/** What the wallet in a box works with. */
export interface Surroundings {
  readonly wallet: Wallet;
  readonly now: () => Date;
  /** An issuer that the verifier trusts: the box then makes the credentials that it lacks, right ones and wrong ones. */
  readonly issuer?: IssuerIdentity;
  /** Publishes a list in which this one place has that status, where the verifier fetches it. */
  readonly publishStatus?: (status: 'revoked' | 'suspended') => Promise<StatusReference>;
  /** The known wallet that this one imitates. */
  readonly profile?: WalletProfile;
  /** The user confirms transactions, and authenticates with a PIN and a key. */
  readonly confirms?: boolean;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** How long a slow wallet waits. */
  readonly slowMilliseconds: number;
}

/** What a case cannot do without. */
export type Need = 'issuer' | 'publishStatus';

export const hasAll = (surroundings: Surroundings, needs: readonly Need[]): boolean =>
  needs.every((need) => surroundings[need] !== undefined);
