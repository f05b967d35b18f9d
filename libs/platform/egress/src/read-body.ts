import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { egressFailure } from './failures';

const gunzipAsync = promisify(gunzip);
const FIRST_BYTES = 65_536;

/** The part of an HTTP response that is needed to read its body. */
export interface IncomingBody {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** Discards a response unread, and closes its connection. */
export function discardBody(body: Readable): void {
  body.on('error', () => undefined); // destroying an unread body makes it report that it was aborted
  body.destroy();
}

/** Copies into one growing buffer: a million one-byte chunks must not become a million objects. */
async function collect(body: Readable, maxBytes: number): Promise<Buffer> {
  let collected = Buffer.allocUnsafe(Math.min(FIRST_BYTES, maxBytes));
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const needed = length + chunk.byteLength;
    if (needed > maxBytes) throw egressFailure('egress_too_large');
    if (needed > collected.byteLength) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, collected.byteLength * 2), maxBytes));
      collected.copy(larger, 0, 0, length);
      collected = larger;
    }
    chunk.copy(collected, length);
    length = needed;
  }
  return collected.subarray(0, length);
}

async function decodeGzip(encoded: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await gunzipAsync(encoded, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw egressFailure(isTooLarge ? 'egress_too_large' : 'egress_encoding', error);
  }
}

function isGzip(encoding: string | string[] | undefined): boolean {
  const name = encoding === undefined ? 'identity' : String(encoding).trim().toLowerCase();
  if (name === 'gzip' || name === 'x-gzip') return true;
  if (name === 'identity' || name === '') return false;
  throw egressFailure('egress_encoding');
}

/**
 * Reads a response body of at most `maxBytes`, on the wire and decoded (RFC 9110 §8.4.1: gzip or identity). Throws
 * `egress_too_large`, before reading if the length is declared, or `egress_encoding`.
 */
export async function readBody({ headers, body }: IncomingBody, maxBytes: number): Promise<Buffer> {
  try {
    const gzip = isGzip(headers['content-encoding']);
    if (Number(headers['content-length']) > maxBytes) throw egressFailure('egress_too_large');
    const bytes = await collect(body, maxBytes);
    return gzip && bytes.byteLength > 0 ? await decodeGzip(bytes, maxBytes) : bytes;
  } catch (error) {
    discardBody(body);
    throw error;
  }
}
