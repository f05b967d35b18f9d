import { inflateSync } from 'node:zlib';

export type CredentialStatus = 'valid' | 'suspended' | 'revoked';

/** Token Status List §7.1. */
const NAMES: Readonly<Record<number, CredentialStatus>> = { 0: 'valid', 1: 'revoked', 2: 'suspended' };

interface Payload {
  readonly status_list: { readonly bits: number; readonly lst: string };
}

/** What a Status List Token says at an index (Token Status List §4), unverified; its number if that has no name. */
export function statusIn(token: string, index: number): string {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const { bits, lst } = (JSON.parse(payload) as Payload).status_list;
  const bytes = inflateSync(Buffer.from(lst, 'base64url'));
  const at = index * bits;
  const value = ((bytes[at >> 3] ?? 0) >> (at & 7)) & ((1 << bits) - 1);
  return NAMES[value] ?? String(value);
}
