import { isJsonObject, ownMember, parseJsonWithUnreadNumbers, type JsonObject } from '@vestibule/foundation';
import { invalidRequest } from './failures';
import { formParameter } from './form';
import { readRequestEncryption, type RequestEncryption } from './request-encryption';

/** What a wallet tells about itself when it fetches the request by POST (OpenID4VP 1.0 §5.10). */
export interface RequestPost {
  readonly walletNonce?: string;
  /** Only if the wallet wants its request object encrypted. */
  readonly encryption?: RequestEncryption;
}

const MAX_NONCE_LENGTH = 1_024;
const MAX_METADATA = { maxDepth: 16, maxLength: 65_536 };

function lists(metadata: JsonObject, name: string, value: string): boolean {
  const offered = ownMember(metadata, name);
  return offered === undefined || (Array.isArray(offered) && offered.includes(value));
}

function supportsUs(metadata: JsonObject): boolean {
  const formats = ownMember(metadata, 'vp_formats_supported');
  const format = formats === undefined || (isJsonObject(formats) && Object.hasOwn(formats, 'dc+sd-jwt'));
  const signing = lists(metadata, 'request_object_signing_alg_values_supported', 'ES256');
  return format && signing && lists(metadata, 'client_id_prefixes_supported', 'x509_hash');
}

/** Some programs write a member that they do not set as null: it says as little as one that is absent. */
const withoutNulls = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));

function readMetadata(text: string): Pick<RequestPost, 'encryption'> {
  const parsed = parseJsonWithUnreadNumbers(text, MAX_METADATA);
  if (!isJsonObject(parsed)) throw invalidRequest('wallet_metadata_malformed');
  const metadata = withoutNulls(parsed);
  if (!supportsUs(metadata)) throw invalidRequest('wallet_not_capable');
  const encryption = readRequestEncryption(metadata);
  return encryption ? { encryption } : {};
}

/**
 * Reads the form of a POST to the request address. Unknown parameters and metadata members are ignored; a wallet whose
 * metadata excludes what every request needs receives `invalid_request`. URLs in the metadata are never fetched.
 */
export function parseRequestPost(form: readonly (readonly [string, string])[]): RequestPost {
  const walletNonce = formParameter(form, 'wallet_nonce');
  const metadata = formParameter(form, 'wallet_metadata');
  if (walletNonce !== undefined && walletNonce.length > MAX_NONCE_LENGTH) throw invalidRequest('wallet_nonce_too_long');
  return {
    ...(walletNonce === undefined ? {} : { walletNonce }),
    ...(metadata === undefined ? {} : readMetadata(metadata)),
  };
}
