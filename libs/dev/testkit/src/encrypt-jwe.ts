import { createCipheriv, createECDH, createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';

const KEY_BYTES = { A128GCM: 16, A256GCM: 32 } as const;

export interface JweOrder {
  readonly recipient: { readonly x: string; readonly y: string };
  readonly kid: string | undefined;
  readonly enc: keyof typeof KEY_BYTES;
  readonly random: (size: number) => Uint8Array;
  /** Compresses the content with DEFLATE first. */
  readonly zip?: 'DEF' | undefined;
}

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function party(value: unknown): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64url') : Buffer.alloc(0);
  return Buffer.concat([uint32(bytes.byteLength), bytes]);
}

/**
 * Encrypts as a wallet does: a compact JWE with ECDH-ES on P-256, implemented independently of the two paths under
 * test. `header` members, and those of an `epk` in it, are added unchanged, even wrong ones; `content` is not
 * compressed if `header` has its own `zip`.
 */
export function encryptJwe(
  content: Uint8Array,
  order: JweOrder,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const { recipient, kid, enc, random, zip } = order;
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(random(32));
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(encode);
  const optional = { ...(kid === undefined ? {} : { kid }), ...(zip === undefined ? {} : { zip }) };
  const full = {
    ...header,
    alg: 'ECDH-ES',
    enc,
    ...optional,
    epk: { ...(header['epk'] as object | undefined), kty: 'EC', crv: 'P-256', x, y },
  };
  const encodedHeader = encode(Buffer.from(JSON.stringify(full)));
  const coordinates = [recipient.x, recipient.y].map((value) => Buffer.from(value, 'base64url'));
  const secret = ecdh.computeSecret(Buffer.concat([Buffer.from([4]), ...coordinates]));
  const bytes = KEY_BYTES[enc];
  const algorithm = Buffer.concat([uint32(enc.length), Buffer.from(enc)]);
  const info = [uint32(1), secret, algorithm, party(header['apu']), party(header['apv']), uint32(bytes * 8)];
  const contentKey = createHash('sha256').update(Buffer.concat(info)).digest().subarray(0, bytes);
  const iv = random(12);
  const cipher = createCipheriv(enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm', contentKey, iv);
  cipher.setAAD(Buffer.from(encodedHeader, 'ascii'));
  const plaintext = zip === undefined ? content : deflateRawSync(content);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return [encodedHeader, '', encode(iv), encode(ciphertext), encode(cipher.getAuthTag())].join('.');
}
