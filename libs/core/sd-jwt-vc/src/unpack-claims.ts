import { isJsonObject, ownMember, type IssuedJsonObject, type JsonObject } from '@vestibule/foundation';
import { sdJwtFailure } from './failures';
import type { SdJwtVc } from './parse-sd-jwt-vc';
import { compactClaims, unpackWithPlaces, type DisclosedPlaces } from './unpack-payload';

/** What a credential says once its disclosures are in place. */
export interface UnpackedCredential {
  /** The processed payload: no `_sd`, no `_sd_alg`, arrays without holes. */
  readonly claims: JsonObject;
  /** The same with holes where array elements were not disclosed: claims path indices count on this one. */
  readonly issued: IssuedJsonObject;
  /** Which values in `issued` came from their own disclosure. */
  readonly disclosed: DisclosedPlaces;
  /** How many JSON values were visited. */
  readonly values: number;
  readonly vct: string;
  /** Undefined when the issuer is named by its certificate only. */
  readonly iss: string | undefined;
  /** `status.status_list`, its members unchecked; undefined when the credential has no `status`. */
  readonly statusList: JsonObject | undefined;
}

function optionalString(claims: JsonObject, name: string): string | undefined {
  const value = ownMember(claims, name);
  if (value !== undefined && typeof value !== 'string')
    throw sdJwtFailure('claim_malformed', `${name} is not a string`);
  return value;
}

function requiredType(claims: JsonObject): string {
  const vct = optionalString(claims, 'vct');
  if (vct === undefined || vct === '') throw sdJwtFailure('vct_missing');
  return vct;
}

function parseStatusList(claims: JsonObject): JsonObject | undefined {
  const status = ownMember(claims, 'status');
  if (status === undefined) return undefined;
  const list = isJsonObject(status) ? ownMember(status, 'status_list') : undefined;
  if (!isJsonObject(list)) throw sdJwtFailure('status_malformed');
  return list;
}

/**
 * Inserts the disclosures and reads the claims that every SD-JWT VC has (SD-JWT VC §3.2.2, HAIP 1.0 §6.1). It does not
 * authenticate them: verify the issuer's signature first. Throws what {@link unpackWithPlaces} throws, `vct_missing`,
 * `claim_malformed` (also for a `sub` or `jti` that is not a string, RFC 7519 §4.1) and `status_malformed`.
 */
export function unpackClaims(sdJwt: SdJwtVc): UnpackedCredential {
  const { issued, disclosed, values } = unpackWithPlaces(sdJwt);
  const claims = compactClaims(issued);
  for (const name of ['vct#integrity', 'sub', 'jti']) optionalString(claims, name);
  return {
    claims,
    issued,
    disclosed,
    values,
    vct: requiredType(claims),
    iss: optionalString(claims, 'iss'),
    statusList: parseStatusList(claims),
  };
}
