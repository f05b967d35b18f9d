import { gzipSync } from 'node:zlib';
import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import type { JsonObject } from '@vestibule/foundation';
import type { StatusLists } from '../verify-status';
import { verifyStatusListCredential } from '../verify-status';
import { knowing } from './knowing.fixture-spec';
import { CREDENTIALS, issueAsStranger, now, UNDEFINED_TERMS } from './stranger.fixture-spec';

/** Everything here follows the text of Bitstring Status List 1.0, without a line of the product. */
export const LIST_URL = 'https://status.example/lists/1';
export const BITS = 131_072;

/** The `encodedList` of a list of `length` bits, of which these are set; bit 0 is the left-most one. */
export function encodedList(set: readonly number[], length = BITS): string {
  const bits = Buffer.alloc(length / 8);
  for (const index of set) bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return `u${gzipSync(bits).toString('base64url')}`;
}

export const entryOf = (change: JsonObject = {}): JsonObject => ({
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: '94567',
  statusListCredential: LIST_URL,
  ...change,
});

/** A credential with this status, signed by the key. */
export const withStatus = (key: KeyPair, credentialStatus: JsonObject | JsonObject[]): Promise<JsonObject> =>
  issueAsStranger(key, {
    '@context': [CREDENTIALS, UNDEFINED_TERMS],
    type: ['VerifiableCredential', 'CityCard'],
    credentialSubject: { given_name: 'Ada' },
    credentialStatus,
  });

/** A status list credential, signed by the key; `subject` and `change` replace members. */
export const listOf = (key: KeyPair, subject: JsonObject = {}, change: JsonObject = {}): Promise<JsonObject> =>
  issueAsStranger(key, {
    '@context': [CREDENTIALS],
    id: LIST_URL,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    credentialSubject: {
      id: `${LIST_URL}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: encodedList([]),
      ...subject,
    },
    ...change,
  });

/** Serves these documents by their addresses, and notes which were asked for. */
export function servedLists(
  documents: Readonly<Record<string, unknown>>,
  issuers: readonly string[] = [],
): StatusLists & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    asked,
    issuers: new Set(issuers),
    find(url) {
      asked.push(url);
      return verifyStatusListCredential(documents[url], url, { now, skewSeconds: 60, ...knowing() });
    },
  };
}
