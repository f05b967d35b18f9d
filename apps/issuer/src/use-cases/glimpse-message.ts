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

/** A message whose sender is not authorized yet. */
export interface Glimpse {
  /** Returns the message; throws its faults, which only an authorized wallet may learn. */
  readonly open: () => OpenedMessage;
  /** This issuer's nonces in it. */
  readonly nonces: readonly VerifiedNonce[];
}

/**
 * Reads the nonces of a message before its sender is authorized, so that the statement that reads the grant can check
 * them.
 */
export function glimpseMessage({ openMessage, batchSize, nonceKeys }: GlimpseMessageDeps) {
  return async function glimpseMessage(input: WalletMessage, now: Date): Promise<Glimpse> {
    try {
      const message = openMessage(input, now);
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
