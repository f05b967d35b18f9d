import {
  createEphemeralKeyPair,
  hmacSha256,
  jwkThumbprint,
  type DecryptionKey,
  type PublicJwk,
} from '@vestibule/crypto';

/** A key that wallets encrypt their requests to, with the `kid` that it is published under. */
export interface RequestEncryptionKey extends DecryptionKey {
  readonly publicJwk: PublicJwk;
}

/** The keys of an instant: one is published, all of them open requests. */
export interface RequestEncryptionKeys {
  readonly published: RequestEncryptionKey;
  readonly accepted: readonly RequestEncryptionKey[];
}

/** How long a key is published; for as long again it still opens requests, so caches may be this old. */
export const REQUEST_KEY_SECONDS = 86_400;

const periodOf = (now: Date): number => Math.floor(now.getTime() / 1000 / REQUEST_KEY_SECONDS);

function keyOf(secret: Uint8Array, period: number): RequestEncryptionKey {
  let draws = 0;
  const { privateKey, publicJwk } = createEphemeralKeyPair(() => {
    draws += 1;
    return hmacSha256(secret, `vestibule request encryption\0${period}\0${draws}`);
  });
  return { kid: jwkThumbprint(publicJwk), privateKey, publicJwk };
}

/**
 * The keys for encrypted credential requests at `now`, derived from secrets that all replicas know: a new one every day
 * without anybody's doing. The key of the day before still opens requests, and so does the one of the day after, for a
 * replica whose clock is ahead. The first secret makes the published key. Throws a RangeError without a secret.
 */
export function requestEncryptionKeys(secrets: readonly Uint8Array[], now: Date): RequestEncryptionKeys {
  const period = periodOf(now);
  const [published, ...others] = [period, period - 1, period + 1].flatMap((one) =>
    secrets.map((secret) => keyOf(secret, one)),
  );
  if (!published) throw new RangeError('request encryption needs a secret');
  return { published, accepted: [published, ...others] };
}

/** As {@link requestEncryptionKeys}; the keys of a day are derived once. */
export function keptRequestEncryptionKeys(secrets: readonly Uint8Array[]): (now: Date) => RequestEncryptionKeys {
  let kept: { readonly period: number; readonly keys: RequestEncryptionKeys } | undefined;
  return (now) => {
    const period = periodOf(now);
    if (kept?.period !== period) kept = { period, keys: requestEncryptionKeys(secrets, now) };
    return kept.keys;
  };
}
