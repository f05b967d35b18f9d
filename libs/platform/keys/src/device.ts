import type { KeyObject } from 'node:crypto';

/** A key in a device, which a provider reaches. Its calls fail or hang: {@link createRemoteSigner} copes with that. */
export interface RemoteKey {
  /** Signs with ES256: R and S, 32 bytes each. Should stop when `signal` is aborted; a later result is ignored. */
  sign(input: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** For certificate requests. */
  readPublicKey(signal: AbortSignal): Promise<KeyObject>;
  /** Opens a sealing key that the device wrapped. */
  unwrap(wrapped: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A failure that another attempt would not mend, such as a refused credential. */
export class LastingFailure extends Error {}

/** The device answered, and not what was asked of it: the sentence holds nothing of the answer. */
export class UnusableAnswer extends Error {}
