const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);
/** Longer texts are no keys, and the arithmetic is quadratic. */
const MAX_LENGTH = 128;

/** Base58 in the Bitcoin alphabet: the digits of the number, and a `1` for each leading zero byte. */
export function encodeBase58(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= BASE) text = `${ALPHABET[Number(rest % BASE)]}${text}`;
  const firstDigit = bytes.findIndex((byte) => byte !== 0);
  const zeros = firstDigit === -1 ? bytes.length : firstDigit;
  return `${'1'.repeat(zeros)}${text}`;
}

/** The bytes of a base58 text of at most 128 characters; undefined for any other text. */
export function decodeBase58(text: string): Buffer | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  let number = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) return undefined;
    number = number * BASE + BigInt(digit);
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = number === 0n ? '' : number.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')]);
}
