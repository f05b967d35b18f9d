import { deflateSync, inflateSync, type InputType, type ZlibOptions } from 'node:zlib';
import { statusFailure } from './failures';

/** What `inflateSync` returns with `info: true`; `bytesWritten` counts the input bytes that the stream used. */
interface InflateResult {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
const inflateWithInfo = inflateSync as unknown as (input: InputType, options: ZlibOptions) => InflateResult;

function isTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/**
 * Inflates one complete ZLIB stream (RFC 1950, TSL §4.1) and stops as soon as it grows beyond `maxBytes`.
 * Throws `status_list_too_large`, or `status_list_compression_invalid` for gzip, raw DEFLATE, a truncated stream, a
 * wrong checksum and bytes behind the end.
 */
export function inflateList(compressed: Uint8Array, maxBytes: number): Uint8Array {
  let result: InflateResult;
  try {
    result = inflateWithInfo(compressed, { maxOutputLength: maxBytes, info: true });
  } catch (error) {
    const code = isTooLarge(error) ? 'status_list_too_large' : 'status_list_compression_invalid';
    throw statusFailure(code, undefined, error);
  }
  if (result.engine.bytesWritten !== compressed.byteLength) throw statusFailure('status_list_compression_invalid');
  return ownBytes(result.buffer);
}

/** What is inflated may be a small part of memory that others share, 64 KiB in Node.js 24, and would keep all of it. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? Uint8Array.from(bytes) : bytes;
}

/** Compresses as TSL §4.1 recommends: ZLIB, `level` 9 unless the publisher prefers speed over size. */
export function deflateList(bytes: Uint8Array, level: number): Uint8Array {
  return deflateSync(bytes, { level });
}
