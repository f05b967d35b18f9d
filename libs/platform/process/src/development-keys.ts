import type { Fault } from '@vestibule/foundation';
import { isLoopbackUrl } from './settings';

/** A public address of a service, and the variable that contains it. */
export interface PublicUrl {
  readonly variable: string;
  readonly url: string;
}

/** A key with this prefix is for development: `development-` and 31 more characters of base64url. */
const DEVELOPMENT_KEY_PREFIX = 'development-';
/** 32 random bytes have about 30 different values; fewer than this suggest a typed pattern. */
const FEWEST_DIFFERENT_BYTES = 16;

/** True for a key with the development prefix, and for one that is obviously not random. */
export function isDevelopmentKey(key: Uint8Array): boolean {
  const text = Buffer.from(key).toString('base64url');
  return text.startsWith(DEVELOPMENT_KEY_PREFIX) || new Set(key).size < FEWEST_DIFFERENT_BYTES;
}

/** The faults of the sealing keys of a service at this address: a development key at a public address. */
export function developmentKeyFaults(
  { sealingKeys }: { readonly sealingKeys: readonly Uint8Array[] },
  address: PublicUrl | undefined,
): readonly Fault[] {
  if (!address || isLoopbackUrl(address.url) || !sealingKeys.some(isDevelopmentKey)) return [];
  const reason = `holds a development key, and ${address.variable} is public: generate a key of 32 random bytes`;
  return [{ path: 'SEALING_KEYS', message: reason }];
}
