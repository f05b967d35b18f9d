import { elementsOf, holdsObject, memberOf, type Place } from '@vestibule/foundation';
import type { CredentialQuery, SdJwtVcMeta } from './dcql-query';
import { readText } from './findings';
import { checkMemberNames, MEMBERS } from './member-names';
import type { PresentedCredential } from './presented-credential';
import { isSubtypeOf, type VctSubtypes } from './vct-subtypes';

/** What differs between credential formats. Another one (`mso_mdoc`) is another row, and a union in {@link CredentialQuery}. */
export interface CredentialFormat {
  readonly readMeta: (place: Place) => SdJwtVcMeta;
  /** True when the credential is of a type that the query accepts. */
  readonly matchesMeta: (query: CredentialQuery, credential: PresentedCredential, subtypes: VctSubtypes) => boolean;
}

function readSdJwtVcMeta(place: Place): SdJwtVcMeta {
  if (!holdsObject(place)) return { vctValues: [] };
  checkMemberNames(place, MEMBERS.sdJwtVcMeta);
  return { vctValues: elementsOf(memberOf(place, 'vct_values')).map(readText) };
}

/** Types are compared case by case and character by character (OpenID4VP 1.0 appendix B.3.5). */
function matchesVct(query: CredentialQuery, credential: PresentedCredential, subtypes: VctSubtypes): boolean {
  return query.meta.vctValues.some((wanted) => isSubtypeOf(subtypes, credential.vct, wanted));
}

/** The formats that this verifier supports, by Credential Format Identifier (OpenID4VP 1.0 appendix B). */
export const CREDENTIAL_FORMATS: ReadonlyMap<string, CredentialFormat> = new Map([
  ['dc+sd-jwt', { readMeta: readSdJwtVcMeta, matchesMeta: matchesVct }],
]);
