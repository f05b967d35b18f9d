import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { vcdmFailure, type VcdmCode } from './failures';
import { checkRelatedResources, isAbsoluteUrl } from './related-resources';

/** Objects of VCDM 2.0 that must say their type, and what else they need. */
const TYPED: readonly { readonly member: string; readonly code: VcdmCode; readonly needsId: boolean }[] = [
  { member: 'credentialSchema', code: 'vc_credential_schema_malformed', needsId: true },
  { member: 'credentialStatus', code: 'vc_credential_status_malformed', needsId: false },
  { member: 'refreshService', code: 'vc_refresh_service_malformed', needsId: false },
  { member: 'termsOfUse', code: 'vc_terms_of_use_malformed', needsId: false },
  { member: 'evidence', code: 'vc_evidence_malformed', needsId: false },
];

const VALUE_MEMBERS: ReadonlySet<string> = new Set(['@value', '@language', '@direction']);
/** A well-formed language tag, as JSON-LD 1.1 and BCP 47 write it. */
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** The values of a member; null, which no signature covers, is judged by the graph. */
function valuesOf(object: JsonObject, member: string): readonly JsonValue[] {
  const value = ownMember(object, member);
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value];
}

function hasType(object: JsonObject): boolean {
  const types = valuesOf(object, 'type');
  return types.length > 0 && types.every((type) => typeof type === 'string' && type !== '');
}

function checkTyped(document: JsonObject): void {
  for (const { member, code, needsId } of TYPED) {
    for (const value of valuesOf(document, member)) {
      if (!isJsonObject(value)) throw vcdmFailure(code, `${member} must be an object, or several`);
      if (!hasType(value)) throw vcdmFailure(code, `each ${member} must have a type`);
      const id = ownMember(value, 'id');
      if (id === undefined ? needsId : !isAbsoluteUrl(id))
        throw vcdmFailure(code, needsId ? `each ${member} must have a URL in id` : `the id of ${member} must be a URL`);
    }
  }
}

/** Is it made as a text with a language and a direction is? Other objects are not judged. */
export function checkLanguageObject(object: JsonObject): void {
  const names = Object.keys(object);
  if (!names.some((name) => VALUE_MEMBERS.has(name))) return;
  const [value, language, direction] = ['@value', '@language', '@direction'].map((name) => ownMember(object, name));
  const refuse = (detail: string) => vcdmFailure('vc_language_malformed', `a text with a language ${detail}`);
  if (typeof value !== 'string' && value !== null) throw refuse('must have a string in @value');
  if (!names.every((name) => VALUE_MEMBERS.has(name)))
    throw refuse('must have no members but @value, @language and @direction');
  const isTag = language === undefined || (typeof language === 'string' && LANGUAGE.test(language));
  if (!isTag) throw refuse('must have a language tag of BCP 47 in @language');
  if (direction !== undefined && direction !== 'ltr' && direction !== 'rtl')
    throw refuse('must have ltr or rtl in @direction');
}

/** `name` and `description` of a document, its issuer or its holder. */
function checkNames(object: JsonValue | undefined): void {
  if (!isJsonObject(object)) return;
  for (const member of ['name', 'description']) {
    for (const value of valuesOf(object, member)) {
      const isText = typeof value === 'string' || (isJsonObject(value) && ownMember(value, '@value') !== undefined);
      if (!isText) throw vcdmFailure('vc_language_malformed', `${member} must be a string, or a text with a language`);
    }
  }
}

/**
 * Checks the members that VCDM 2.0 constrains in a credential or presentation: `credentialSchema`, `credentialStatus`,
 * `refreshService`, `termsOfUse` and `evidence` (§4.5, §4.10, §4.11, §5.4 to §5.6), `relatedResource` (§5.3), `name` and
 * `description` (§4.6). Each has a code of its own.
 */
export function checkConstrainedMembers(document: JsonObject): void {
  checkTyped(document);
  checkRelatedResources(valuesOf(document, 'relatedResource'));
  for (const described of [document, ownMember(document, 'issuer'), ownMember(document, 'holder')])
    checkNames(described);
}
