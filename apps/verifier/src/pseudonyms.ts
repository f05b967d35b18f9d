import { deriveKey, hmacSha256 } from '@vestibule/crypto';
import { ConfigurationFault, type Configuration } from '@vestibule/process';
import type { verifierConfiguration } from './config';
import type { Pseudonymise } from './domain/callback-data';

type Values = Pick<Configuration<typeof verifierConfiguration>, 'callbackData' | 'pseudonymKey'>;

/** The pseudonyms that a relying party sees; the default one has no name. Undefined: keys are known by themselves. */
export type PseudonymsOfParty = (relyingParty: string | undefined) => Pseudonymise | undefined;

/**
 * The pseudonyms of holders' keys: an HMAC under a key of each relying party. None if callbacks contain
 * everything. Throws `configuration_invalid` if their key is missing.
 */
export function pseudonymsOf({ callbackData, pseudonymKey }: Values): PseudonymsOfParty {
  if (callbackData === 'full') return () => undefined;
  if (!pseudonymKey) {
    throw new ConfigurationFault([{ path: 'PSEUDONYM_KEY', message: 'is required by CALLBACK_DATA=minimal' }]);
  }
  const master = deriveKey(pseudonymKey, 'kbKeyId');
  return (relyingParty) => {
    const key = relyingParty === undefined ? master : deriveKey(master, `relying party ${relyingParty}`);
    return (keyThumbprint) => hmacSha256(key, keyThumbprint).toString('base64url');
  };
}
