import {
  decodeBase64url,
  DEFAULT_JSON_LIMITS,
  encodeBase64url,
  inexactNumberFaults,
  isJsonObject,
  ownMember,
  memberOf,
  parseJsonBytes,
  placeOf,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { checkScaPayload, isScaPayloadType, SCA_PAYLOAD_TYPES, type ScaPayloadType } from './sca-payload';

/** One transaction data object: the exact text that is sent and hashed, and what its content says. */
export interface TransactionDatum {
  /** Base64url as sent to the wallet: hashes are over this text, never over its decoded bytes. */
  readonly encoded: string;
  readonly credentialIds: readonly string[];
  /** Hash algorithms that were offered; absent when the object names none, which means sha-256. */
  readonly hashAlgorithms?: readonly string[];
  /** True if the wallet must say how its user was authenticated (TS12 1.0.1 §3.6). */
  readonly needsScaEvidence?: true;
}

/** How transactions that need strong customer authentication are recognised and judged. */
export interface ScaRules {
  /** Further types (URIs), with the payload type of TS12 that each of them has. */
  readonly types: ReadonlyMap<string, ScaPayloadType>;
  readonly now: Date;
}

/** What the query says about a credential that transaction data may name. */
export interface TransactionTarget {
  readonly id: string;
  readonly holderBinding: 'required' | 'notRequired';
}

type Targets = readonly TransactionTarget[] | undefined;

const MAX_ENCODED_LENGTH = 32_768;
const SUPPORTED_HASH = 'sha-256';

function isNameList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function targetFaults(value: JsonValue | undefined, targets: Targets, path: string): Fault[] {
  if (!isNameList(value)) return [{ path: `${path}.credential_ids`, message: 'must be a non-empty array of strings' }];
  if (!targets) return [];
  return value.flatMap((id, index) => {
    const target = targets.find((candidate) => candidate.id === id);
    const place = `${path}.credential_ids[${index}]`;
    if (!target) return [{ path: place, message: 'is not a credential of dcql_query' }];
    if (target.holderBinding === 'required') return [];
    return [{ path: place, message: 'names a credential that is requested without holder binding' }];
  });
}

function hashFaults(object: JsonObject, path: string): Fault[] {
  if (!Object.hasOwn(object, 'transaction_data_hashes_alg')) return [];
  const offered = ownMember(object, 'transaction_data_hashes_alg');
  const usable = isNameList(offered) && offered.includes(SUPPORTED_HASH);
  const message = 'must be a non-empty array of hash algorithm names with sha-256 among them';
  return usable ? [] : [{ path: `${path}.transaction_data_hashes_alg`, message }];
}

/** Every URI below it is one of TS12, so that an unknown one is a mistake, which no wallet would show to its user. */
const SCA_PREFIX = 'urn:eudi:sca:';

function scaPayloadTypeOf({ type }: JsonObject, { types }: ScaRules): ScaPayloadType | undefined {
  if (typeof type !== 'string') return undefined;
  return isScaPayloadType(type) ? type : types.get(type);
}

/** TS12 1.0.1 §4.2 */
function scaFaults(object: JsonObject, rules: ScaRules, path: string): Fault[] {
  const payloadType = scaPayloadTypeOf(object, rules);
  const place = placeOf(object, path);
  if (payloadType) {
    checkScaPayload(memberOf(place, 'payload'), payloadType, rules.now);
    const isNamed = Object.hasOwn(object, 'transaction_data_hashes_alg');
    const missing = { path: `${path}.transaction_data_hashes_alg`, message: 'is required, such as ["sha-256"]' };
    return [...place.findings.faults, ...(isNamed ? [] : [missing])];
  }
  const { type } = object;
  if (typeof type !== 'string' || !type.startsWith(SCA_PREFIX)) return [];
  return [{ path: `${path}.type`, message: `must be one of ${SCA_PAYLOAD_TYPES.join(', ')}` }];
}

function objectFaults(object: JsonObject, targets: Targets, rules: ScaRules, path: string): Fault[] {
  const type = ownMember(object, 'type');
  const typeFaults =
    typeof type === 'string' && type !== '' ? [] : [{ path: `${path}.type`, message: 'must be a non-empty string' }];
  return [
    ...typeFaults,
    ...targetFaults(ownMember(object, 'credential_ids'), targets, path),
    ...hashFaults(object, path),
    ...scaFaults(object, rules, path),
  ];
}

/**
 * The string that is sent for an element; the empty string, which is not valid, if it is neither a string nor an
 * object.
 */
function encode(element: JsonValue): string {
  if (typeof element === 'string') return element;
  return isJsonObject(element) ? encodeBase64url(Buffer.from(JSON.stringify(element), 'utf8')) : '';
}

/** The object of an element, or every reason why there is none. */
function decode(encoded: string, index: number): { readonly object: JsonObject } | { readonly faults: Fault[] } {
  const bytes = encoded.length > MAX_ENCODED_LENGTH ? undefined : decodeBase64url(encoded);
  const value = bytes && parseJsonBytes(bytes);
  if (isJsonObject(value)) return { object: value };
  const inexact = bytes ? inexactNumberFaults(bytes, DEFAULT_JSON_LIMITS, ['transaction_data', index]) : [];
  if (inexact.length > 0) return { faults: inexact };
  const message = 'must be a JSON object, or the unpadded base64url of one, of at most 32 KB';
  return { faults: [{ path: `transaction_data[${index}]`, message }] };
}

/**
 * Transaction data of a presentation request (OpenID4VP 1.0 §5.1, B.3.3.1): each element is the base64url string of the
 * standard, used unchanged, or an object that is encoded once here. The payloads of payments and other transactions of
 * TS12 1.0.1 are judged, too. Every fault is listed with its path. Without `targets`, because the query itself is faulty,
 * references to credentials are not checked.
 */
export function parseTransactionData(
  elements: readonly JsonValue[],
  targets: Targets,
  rules: ScaRules,
): { data: TransactionDatum[]; faults: Fault[] } {
  const data: TransactionDatum[] = [];
  const faults: Fault[] = [];
  elements.forEach((element, index) => {
    const path = `transaction_data[${index}]`;
    const encoded = encode(element);
    const decoded = decode(encoded, index);
    if ('faults' in decoded) {
      faults.push(...decoded.faults);
      return;
    }
    const { object } = decoded;
    faults.push(...objectFaults(object, targets, rules, path));
    const offered = ownMember(object, 'transaction_data_hashes_alg');
    data.push({
      encoded,
      credentialIds: (ownMember(object, 'credential_ids') ?? []) as string[],
      ...(isNameList(offered) ? { hashAlgorithms: offered } : {}),
      ...(scaPayloadTypeOf(object, rules) ? { needsScaEvidence: true as const } : {}),
    });
  });
  return { data: faults.length > 0 ? [] : data, faults };
}
