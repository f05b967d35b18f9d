import { openCredentialMessage, keptRequestEncryptionKeys, type OpenedMessage } from '@vestibule/oid4vci';

/** A wallet's message at an endpoint that requires an access token. */
export interface WalletMessage {
  readonly authorization: readonly string[];
  readonly dpop: readonly string[];
  readonly body?: unknown;
  /** The compact JWE of an encrypted message. */
  readonly jwt?: string | undefined;
  /** Set if the gateway will report when the answer was handed over. */
  readonly reportsHandOver?: boolean | undefined;
}

export interface OpenMessageDeps {
  /** The secrets from which the keys for encrypted requests are derived. */
  readonly requestEncryptionSecrets: readonly Uint8Array[];
  /** True if plain requests and answers are refused. */
  readonly encryptionRequired: boolean;
}

/** Opens a request for credentials, plain or encrypted. Throws what `openCredentialMessage` throws. */
export function openMessage({ requestEncryptionSecrets: secrets, encryptionRequired: required }: OpenMessageDeps) {
  const keysAt = keptRequestEncryptionKeys(secrets);
  return function openMessage(message: WalletMessage, now: Date): OpenedMessage {
    const keys = message.jwt === undefined ? [] : keysAt(now).accepted;
    return openCredentialMessage(message, { keys, required });
  };
}

export type OpenMessage = ReturnType<typeof openMessage>;
