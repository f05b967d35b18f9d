import {
  elementsOf,
  holdsObject,
  memberOf,
  refuse,
  warn,
  type JsonObject,
  type JsonValue,
  type Place,
} from '@vestibule/foundation';
import type { ClaimPath } from './claim-path';
import type { ClaimQuery, ClaimValue } from './dcql-query';
import type { DcqlLimits } from './dcql-limits';
import { readIdentifier, readIdLists, refuseRepeats, textsAmong } from './findings';
import { checkMemberNames, MEMBERS } from './member-names';

/** Never selectively disclosable in an SD-JWT VC, so always there (draft-ietf-oauth-sd-jwt-vc-13 §3.2.2.2). */
const ALWAYS_DISCLOSED = new Set(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts']);

const isArrayIndex = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Elements of the credential itself could never be found: it is an object (OpenID4VP 1.0 §7.1.1). */
function readPath(place: Place, limits: DcqlLimits): ClaimPath {
  if (typeof place.value === 'string') {
    refuse(place, 'must be an array of names, such as ["address", "locality"]');
    return [];
  }
  const parts = elementsOf(place);
  if (parts.length > limits.maxPathLength) refuse(place, `must not have more than ${limits.maxPathLength} components`);
  return parts.map((part, index) => {
    const { value } = part;
    if (typeof value === 'string') return value;
    if (value !== null && !isArrayIndex(value)) {
      refuse(part, 'must be a string, null or a non-negative integer');
      return '';
    }
    if (index === 0) refuse(part, 'must be a string: a path begins with the name of a claim');
    return value;
  });
}

function readValues(place: Place): ClaimValue[] | undefined {
  if (place.value === undefined) return undefined;
  return elementsOf(place).map((item) => {
    const { value } = item;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    refuse(item, 'must be a string, an integer of at most 53 bits, true or false');
    return '';
  });
}

function readClaim(place: Place<JsonObject>, needsId: boolean, limits: DcqlLimits): ClaimQuery {
  checkMemberNames(place, MEMBERS.claim);
  const id = memberOf(place, 'id');
  const pathPlace = memberOf(place, 'path');
  const path = readPath(pathPlace, limits);
  const [first] = path;
  if (typeof first === 'string' && ALWAYS_DISCLOSED.has(first)) {
    warn(pathPlace, 'names a claim that every presentation discloses');
  }
  if (needsId && id.value === undefined) refuse(id, 'is required because claim_sets is present');
  return {
    id: id.value === undefined ? undefined : readIdentifier(id),
    path,
    values: readValues(memberOf(place, 'values')),
  };
}

/** Claims that are written as texts are refused here, so that the fault shows what they are instead. */
function claimPlaces(place: Place): Place<JsonObject>[] {
  return elementsOf(place).filter((item): item is Place<JsonObject> => {
    if (typeof item.value !== 'string') return holdsObject(item);
    refuse(item, 'must be an object with a path, such as {"path": ["family_name"]}');
    return false;
  });
}

function readClaims(place: Place, needsId: boolean, limits: DcqlLimits): ClaimQuery[] {
  const places = claimPlaces(place);
  const claims = places.map((item) => readClaim(item, needsId, limits));
  const ids = places.map((item) => memberOf(item, 'id'));
  refuseRepeats(
    ids.map((item) => ({ place: item, key: typeof item.value === 'string' ? item.value : undefined })),
    'must be unique among the claims of this credential',
  );
  const paths = places.map((item) => memberOf(item, 'path'));
  refuseRepeats(
    paths.map((item) => ({ place: item, key: Array.isArray(item.value) ? JSON.stringify(item.value) : undefined })),
    'must not occur twice in one credential query',
  );
  return claims;
}

function warnOfUnreferenced(place: Place, claims: readonly ClaimQuery[], sets: readonly string[][]): void {
  const referenced = new Set(sets.flat());
  const unused = claims.filter((claim) => claim.id !== undefined && !referenced.has(claim.id));
  for (const claim of unused) warn(place, `does not contain the claim "${claim.id}", so it is not requested`);
}

function readClaimSets(place: Place, claims: readonly ClaimQuery[]): ClaimQuery[][] {
  const known = textsAmong(claims.map((claim) => claim.id));
  const sets = readIdLists(place, known, 'must be the id of a claim of this credential');
  warnOfUnreferenced(place, claims, sets);
  const byId = new Map(claims.map((claim) => [claim.id, claim]));
  return sets.map((set) => set.map((id) => byId.get(id)).filter((claim) => claim !== undefined));
}

/** What a credential query asks for: `claims` and `claim_sets` (OpenID4VP 1.0 §6.3, §6.4.1). */
export function readClaimOptions(
  credential: Place<JsonObject>,
  limits: DcqlLimits,
): { claims: ClaimQuery[]; claimOptions: ClaimQuery[][] } {
  const claimsPlace = memberOf(credential, 'claims');
  const setsPlace = memberOf(credential, 'claim_sets');
  const hasSets = setsPlace.value !== undefined;
  if (claimsPlace.value === undefined) {
    if (hasSets) refuse(setsPlace, 'must not be present without claims');
    return { claims: [], claimOptions: [[]] };
  }
  const claims = readClaims(claimsPlace, hasSets, limits);
  return { claims, claimOptions: hasSets ? readClaimSets(setsPlace, claims) : [claims] };
}
