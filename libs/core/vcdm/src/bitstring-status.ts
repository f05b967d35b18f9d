import { gunzipSync, type InputType, type ZlibOptions } from 'node:zlib';
import { decodeBase64url, urlFault } from '@vestibule/foundation';
import { vcdmFailure } from './failures';
import * as terms from './w3c-terms';

type Expanded = Readonly<Record<string, unknown>>;

/** What an entry can say of its credential here. `refresh`, `message` and purposes of others are not interpreted. */
export const STATUS_PURPOSES = ['revocation', 'suspension'] as const;
export type StatusPurpose = (typeof STATUS_PURPOSES)[number];

/** One `BitstringStatusListEntry` of a credential, from the graph that is signed (Bitstring Status List 1.0 §2.1). */
export interface StatusEntry {
  readonly purpose: StatusPurpose;
  /** The bit of the list, from 0. */
  readonly index: number;
  /** The URL of the credential that has the list, as it is signed. */
  readonly listUrl: string;
}

/** A `BitstringStatusList`, from the graph that is signed (Bitstring Status List 1.0 §2.2); not expanded yet. */
export interface StatusListGraph {
  readonly purposes: readonly string[];
  readonly encodedList: string;
  /** For how long it may be cached, in milliseconds. */
  readonly ttlMilliseconds: number;
}

const STATUS_LIST_LIMITS = {
  /** Entries in one credential: each may need a list of its own. */
  maxEntries: 8,
  /** Bits: the smallest list in which a holder hides among others (Bitstring Status List 1.0 §6.1). */
  minBits: 131_072,
  /** Of the expanded list, 33 million entries: a few kilobytes of gzip could become gigabytes. */
  maxBytes: 4_194_304,
} as const;
const DEFAULT_TTL_MILLISECONDS = 300_000;
/** One spelling for each number; within what a double holds exactly. */
const INDEX = /^(?:0|[1-9]\d{0,14})$/;

function malformed(detail: string): Error {
  return vcdmFailure('vc_credential_status_malformed', detail);
}

const valuesOf = (node: Expanded, property: string) => (node[property] ?? []) as readonly Expanded[];

/** The only value of a property, as its graph has it: a text or number, or the address of a node. */
function only(node: Expanded, property: string, key: '@value' | '@id'): unknown {
  const values = valuesOf(node, property);
  const [value] = values;
  const isBare = value?.['@language'] === undefined && value?.['@direction'] === undefined;
  return values.length === 1 && isBare ? value?.[key] : undefined;
}

const isPurpose = (purpose: unknown): purpose is StatusPurpose => STATUS_PURPOSES.some((known) => known === purpose);

function readListUrl(node: Expanded): string {
  const url = only(node, terms.STATUS_LIST_CREDENTIAL, '@id');
  if (typeof url !== 'string' || urlFault(url, { fragment: 'refused' }) !== undefined)
    throw malformed('statusListCredential must be one URL without a fragment');
  return url;
}

function readEntry(node: Expanded): StatusEntry {
  const types = (node['@type'] ?? []) as readonly string[];
  if (!types.includes(terms.BITSTRING_STATUS_LIST_ENTRY))
    throw vcdmFailure('vc_status_unsupported', 'the type of credentialStatus must be BitstringStatusListEntry');
  const index = only(node, terms.STATUS_LIST_INDEX, '@value');
  if (typeof index !== 'string' || !INDEX.test(index))
    throw malformed('statusListIndex must be a string with a decimal number, without sign and leading zeros');
  const listUrl = readListUrl(node);
  const purpose = only(node, terms.STATUS_PURPOSE, '@value');
  if (typeof purpose !== 'string') throw malformed('statusPurpose must be one string');
  if (!isPurpose(purpose))
    throw vcdmFailure('vc_status_unsupported', `statusPurpose must be ${STATUS_PURPOSES.join(' or ')}`);
  const size = valuesOf(node, terms.STATUS_SIZE);
  const isBit = size.length === 0 || only(node, terms.STATUS_SIZE, '@value') === 1;
  if (!isBit) throw vcdmFailure('vc_status_unsupported', 'statusSize must be 1');
  return { purpose, index: Number(index), listUrl };
}

/**
 * Reads the statuses of a credential from its expanded `credentialStatus`. Throws `vc_credential_status_malformed`, and
 * `vc_status_unsupported` for a status that would have to be ignored: nothing that an issuer says about validity is.
 */
export function readStatusEntries(nodes: readonly Expanded[]): readonly StatusEntry[] {
  const { maxEntries } = STATUS_LIST_LIMITS;
  if (nodes.length > maxEntries) throw malformed(`credentialStatus must have at most ${maxEntries} entries`);
  return nodes.map(readEntry);
}

/** Reads the list from the expanded subject of a credential; undefined for any other subject or a malformed list. */
export function readStatusList(subject: Expanded | undefined): StatusListGraph | undefined {
  const types = (subject?.['@type'] ?? []) as readonly string[];
  if (!subject || !types.includes(terms.BITSTRING_STATUS_LIST)) return undefined;
  const purposes = valuesOf(subject, terms.STATUS_PURPOSE).map((purpose) => purpose['@value']);
  const encodedList = only(subject, terms.ENCODED_LIST, '@value');
  const hasTtl = valuesOf(subject, terms.STATUS_TTL).length > 0;
  const ttlMilliseconds = hasTtl ? only(subject, terms.STATUS_TTL, '@value') : DEFAULT_TTL_MILLISECONDS;
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!purposes.every(isText) || purposes.length === 0 || !isText(encodedList)) return undefined;
  if (typeof ttlMilliseconds !== 'number' || !Number.isInteger(ttlMilliseconds) || ttlMilliseconds < 0)
    return undefined;
  return { purposes, encodedList, ttlMilliseconds };
}

/** What `gunzipSync` returns with `info: true`; `bytesWritten` counts the input bytes that the stream used. */
interface InflateResult {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
const gunzip = gunzipSync as unknown as (input: InputType, options: ZlibOptions) => InflateResult;

function refuseList(detail: string, cause?: unknown): Error {
  return vcdmFailure('vc_status_list_invalid', detail, cause);
}

/** Throws for what is no complete gzip stream, and for one that becomes longer than `maxBytes`, as soon as it does. */
function inflate(compressed: Uint8Array, maxBytes: number): Uint8Array {
  try {
    const { buffer, engine } = gunzip(compressed, { maxOutputLength: maxBytes, info: true });
    if (engine.bytesWritten === compressed.byteLength) return buffer;
  } catch (error) {
    throw refuseList(`encodedList must be gzip of at most ${maxBytes} bytes`, error);
  }
  throw refuseList('encodedList must not have bytes after its gzip stream');
}

/**
 * Expands an `encodedList`: multibase base64url of gzip (Bitstring Status List 1.0 §3.4). Throws
 * `vc_status_list_invalid`, also for less than 131,072 bits and for more than 4 MiB.
 */
export function expandStatusList(encodedList: string): Uint8Array {
  const compressed = encodedList.startsWith('u') ? decodeBase64url(encodedList.slice(1)) : undefined;
  if (!compressed) throw refuseList('encodedList must be u, then base64url without padding');
  const { maxBytes, minBits } = STATUS_LIST_LIMITS;
  const bits = inflate(compressed, maxBytes);
  if (bits.byteLength * 8 < minBits) throw refuseList(`the list must have at least ${minBits} entries`);
  return bits;
}

/** Is the bit set? Bit 0 is the left-most one. Throws `vc_status_list_invalid` if the list has no such entry. */
export function isStatusSet(bits: Uint8Array, index: number): boolean {
  const byte = bits[Math.floor(index / 8)];
  if (byte === undefined) throw refuseList('the list has no entry for this credential');
  return ((byte >> (7 - (index % 8))) & 1) === 1;
}
