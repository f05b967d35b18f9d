import { deriveKey, hmacSha256 } from '@vestibule/crypto';
import { ConfigurationFault, type Configuration } from '@vestibule/process';
import type { verifierConfiguration } from './config';
import type { Pseudonymise } from './domain/callback-data';

type Values = Pick<Configuration<typeof verifierConfiguration>, 'callbackData' | 'pseudonymKey'>;

/**
 * The pseudonyms of holders' keys: an HMAC under a key of this relying party. Undefined if callbacks contain
 * everything. Throws `configuration_invalid` if their key is missing.
 */
export function pseudonymsOf({ callbackData, pseudonymKey }: Values): Pseudonymise | undefined {
  if (callbackData === 'full') return undefined;
  if (!pseudonymKey) {
    throw new ConfigurationFault([{ path: 'PSEUDONYM_KEY', message: 'is required by CALLBACK_DATA=minimal' }]);
  }
  const key = deriveKey(pseudonymKey, 'kbKeyId');
  return (keyThumbprint) => hmacSha256(key, keyThumbprint).toString('base64url');
}
