import type { VerifiedNonce } from '@vestibule/oauth';
import { presentedNonces, type OpenedMessage } from '@vestibule/oid4vci';
import type { OpenMessage, WalletMessage } from './open-message';
import { readNonce } from './prove-keys';

export interface GlimpseMessageDeps {
  readonly openMessage: OpenMessage;
  readonly batchSize: number | undefined;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
}

/** A message of somebody who may turn out to be nobody. */
export interface Glimpse {
  /** The message; throws what is wrong with it, which only an authorized wallet hears. */
  readonly open: () => OpenedMessage;
  /** The nonces of this issuer in it. */
  readonly nonces: readonly VerifiedNonce[];
}

/** Looks into a message before its sender is authorized, so that the statement that reads the grant can judge its nonces. */
export function glimpseMessage({ openMessage, batchSize, nonceKeys }: GlimpseMessageDeps) {
  return async function glimpseMessage(input: WalletMessage, now: Date): Promise<Glimpse> {
    try {
      const message = await openMessage(input, now);
      const nonces = presentedNonces(message.body, batchSize ?? 1).map((nonce) => readNonce(nonceKeys, nonce, now));
      return { open: () => message, nonces: nonces.filter((nonce) => nonce !== undefined) };
    } catch (error) {
      const open = () => {
        throw error;
      };
      return { open, nonces: [] };
    }
  };
}

export type GlimpseMessage = ReturnType<typeof glimpseMessage>;
