import { DomainError, type ErrorEntry } from '@vestibule/foundation';

/** What can be wrong with the description of a key in a device. */
export const KEY_ERRORS = {
  key_description_invalid: {
    meaning: 'a key description (JSON in place of a private key) is invalid, or a file that it names cannot be read',
    remedy: 'correct the description; see [keys.md](keys.md)',
  },
  key_package_missing: {
    meaning: 'the optional package `pkcs11js`, which keys in PKCS#11 devices need, is not installed',
    remedy: 'use an image with it; see "PKCS#11" in [keys.md](keys.md#pkcs11)',
  },
  sealing_key_unavailable: {
    meaning:
      'a wrapped key in `SEALING_KEYS` cannot be unwrapped now: its device does not answer in time, fails or refuses',
    remedy:
      'make the device reachable, check its credentials, and start again; see "Sealing keys" in [keys.md](keys.md#sealing-keys)',
  },
  sealing_key_wrong: {
    meaning:
      'the device of a wrapped key in `SEALING_KEYS` returned something else than the key with the configured mark; nothing was sealed with it',
    remedy: 'compare file, device and mark; see "Sealing keys" in [keys.md](keys.md#sealing-keys)',
  },
  key_pin_last_try: {
    meaning: 'wrong PINs were sent to a PKCS#11 token, and the next one would lock it: none is sent any more',
    remedy:
      'correct the file with the PIN, then log in once with a tool of the device; see "PKCS#11" in [keys.md](keys.md#pkcs11)',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly keys: typeof KEY_ERRORS;
  }
}

/** An operator's mistake; `reason` says which part of the description is wrong, and holds no value of it. */
export function descriptionFault(reason: string, cause?: unknown): DomainError {
  const detail = `the key description ${reason}`;
  return new DomainError({ kind: 'internal', code: 'key_description_invalid', detail, cause });
}

/** What became of a wrapped sealing key; `reason` holds nothing of it. */
export function sealingKeyFault(
  code: 'sealing_key_unavailable' | 'sealing_key_wrong',
  reason: string,
  cause?: unknown,
): DomainError {
  return new DomainError({ kind: 'unavailable', code, detail: reason, cause });
}
