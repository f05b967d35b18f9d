import { inflateRawSync, type InputType, type ZlibOptions } from 'node:zlib';

/** What `inflateRawSync` returns with `info: true`; `bytesWritten` counts the input bytes that the stream used. */
interface InflateResult {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const inflateWithInfo = inflateRawSync as unknown as (input: InputType, options: ZlibOptions) => InflateResult;

/**
 * Inflates one raw DEFLATE stream (RFC 1951) and stops as soon as it exceeds `maxBytes`. Throws an error for a longer or a
 * truncated stream, and for bytes after its end: Node.js 24 refuses those when jose inflates, older versions ignore them.
 */
export function inflateWhole(compressed: Uint8Array, maxBytes: number): Uint8Array {
  const { buffer, engine } = inflateWithInfo(compressed, { maxOutputLength: maxBytes, info: true });
  if (engine.bytesWritten !== compressed.byteLength) throw new RangeError('bytes after the end of the stream');
  return buffer;
}
