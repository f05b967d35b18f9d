import { createHash } from 'node:crypto';

/** The strongest first. */
const HASHES = ['sha512', 'sha384', 'sha256'];

/**
 * True when the bytes match the strongest hash of "integrity metadata" such as `vct#integrity` (SD-JWT VC §7, W3C SRI
 * §3.3.5); unknown hashes do not count.
 */
export function matchesIntegrity(integrity: string, bytes: Uint8Array): boolean {
  const entries = integrity.split(/\s+/).map((entry) => entry.split('?', 1)[0] as string);
  const strongest = HASHES.find((hash) => entries.some((entry) => entry.startsWith(`${hash}-`)));
  if (strongest === undefined) return false;
  return entries.includes(`${strongest}-${createHash(strongest).update(bytes).digest('base64')}`);
}
