import {
  decodeBase64url,
  elementsOf,
  memberOf,
  readFlag,
  refuse,
  type JsonObject,
  type Place,
} from '@vestibule/foundation';
import { CREDENTIAL_FORMATS } from './credential-formats';
import type { CredentialQuery, SdJwtVcMeta, TrustedAuthoritiesQuery } from './dcql-query';
import type { DcqlLimits } from './dcql-limits';
import { objectsOf, readIdentifier, readText } from './findings';
import { checkMemberNames, MEMBERS } from './member-names';
import { readClaimOptions } from './parse-claims';

const SUPPORTED_FORMATS = [...CREDENTIAL_FORMATS.keys()].map((format) => `"${format}"`).join(', ');

/**
 * `meta` as the format defines it, and as the proposed format does where there is none. It cannot be judged for a format
 * that is not supported: that is the one fault then.
 */
function readMeta(format: Place, meta: Place): SdJwtVcMeta {
  if (format.value === undefined) refuse(format, `is required; use ${SUPPORTED_FORMATS}`);
  const { value = 'dc+sd-jwt' } = format;
  const known = typeof value === 'string' ? CREDENTIAL_FORMATS.get(value) : undefined;
  if (known) return known.readMeta(meta);
  refuse(format, `is not supported; use ${SUPPORTED_FORMATS}`);
  return { vctValues: [] };
}

function readKeyIdentifier(place: Place): string {
  const { value } = place;
  if (typeof value === 'string' && value !== '' && decodeBase64url(value) !== undefined) return value;
  refuse(place, 'must be a KeyIdentifier in base64url without padding');
  return '';
}

function readAuthority(place: Place<JsonObject>): TrustedAuthoritiesQuery {
  checkMemberNames(place, MEMBERS.authority);
  const type = memberOf(place, 'type');
  const values = memberOf(place, 'values');
  if (type.value === 'aki') return { type: 'aki', values: elementsOf(values).map(readKeyIdentifier) };
  // Forwarding a constraint that is not enforced would be worse than refusing it.
  if (readText(type) !== '') refuse(type, 'is not supported; use "aki"');
  elementsOf(values).forEach(readText);
  return { type: 'aki', values: [] };
}

/** One entry of `credentials` (OpenID4VP 1.0 §6.1). */
export function readCredentialQuery(place: Place<JsonObject>, limits: DcqlLimits): CredentialQuery {
  checkMemberNames(place, MEMBERS.credential);
  const authorities = memberOf(place, 'trusted_authorities');
  const bindingRequired = readFlag(memberOf(place, 'require_cryptographic_holder_binding')) ?? true;
  return {
    id: readIdentifier(memberOf(place, 'id')),
    format: 'dc+sd-jwt',
    meta: readMeta(memberOf(place, 'format'), memberOf(place, 'meta')),
    multiple: readFlag(memberOf(place, 'multiple')) ?? false,
    holderBinding: bindingRequired ? 'required' : 'notRequired',
    trustedAuthorities: authorities.value === undefined ? [] : objectsOf(authorities).map(readAuthority),
    ...readClaimOptions(place, limits),
  };
}
