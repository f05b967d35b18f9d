import { createEphemeralKeyPair, type PublicJwk } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';

/** A decentralized identifier that is its own public key, and the private half as raw 32 bytes, to be sealed. */
export interface DidKeyPair {
  readonly did: string;
  readonly privateKey: Uint8Array;
}

/** Multicodec p256-pub (0x1200) as a varint. */
const P256_PREFIX = Buffer.of(0x80, 0x24);
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);

/** Base58 in the Bitcoin alphabet: the digits of the number, and a `1` for each leading zero byte. */
function encodeBase58(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= BASE) text = `${ALPHABET[Number(rest % BASE)]}${text}`;
  const firstDigit = bytes.findIndex((byte) => byte !== 0);
  const zeros = firstDigit === -1 ? bytes.length : firstDigit;
  return `${'1'.repeat(zeros)}${text}`;
}

/** The did:key of a P-256 key: multibase base58btc of the multicodec prefix and the compressed point (did:key §3.1.1). */
export function didKeyOf(jwk: PublicJwk): string {
  const [x, y] = [Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')];
  const sign = 2 + ((y.at(-1) ?? 0) & 1);
  return `did:key:z${encodeBase58(Buffer.concat([P256_PREFIX, Buffer.of(sign), x]))}`;
}

/** A fresh P-256 did:key. */
export function createDidKey(random: RandomBytes): DidKeyPair {
  const { publicJwk, privateKey } = createEphemeralKeyPair(random);
  return { did: didKeyOf(publicJwk), privateKey };
}
