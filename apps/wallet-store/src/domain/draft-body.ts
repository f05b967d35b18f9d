import {
  downgradeDraft,
  findValueFaults,
  parseMetaSchema,
  plainPath,
  toTypedValues,
  type ClaimValues,
  type ClaimsSchema,
  type MetaSchema,
} from '@vestibule/claims-schema';
import {
  API_VERSIONS,
  draftCreateBody,
  judge,
  previousDraftCreateBody,
  type ApiVersion,
  type Hints,
} from '@vestibule/contracts';
import {
  isJsonObject,
  memberPath,
  ownMember,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import type { DraftSource } from './draft-source';

/** The version whose bodies and answers are translated; all other code works with the current one. */
export const PREVIOUS: ApiVersion = '0.38.2';

/** A draft's schema: the address of a published one, or a definition for this draft alone. */
export type SchemaReference = { readonly url: string } | { readonly definition: MetaSchema };

/** A draft as its caller wrote it, in the terms of the current version; its values are not judged yet. */
export interface WrittenDraft {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Absent only where there are faults. */
  readonly reference: SchemaReference | undefined;
  /** The path of the reference in the body. */
  readonly referencePath: string;
  readonly jsonLdVocabs: readonly string[];
  readonly vcdmJsonSchemas: readonly string[];
  readonly values: JsonObject;
  readonly faults: readonly Fault[];
}

const HEADER = 'X-Service-OAS-Version';
const [CURRENT] = API_VERSIONS;
const newer = `is not a member of version ${PREVIOUS}; leave out the header ${HEADER} for version ${CURRENT}`;
const atIssue = 'is not a known member here; its place is the body of POST /drafts/{id}/issue';

/** What is said of members that belong to another call, or to the other version of the API. */
const COMMON_HINTS: Readonly<Record<string, string>> = {
  entity_did: 'is not a member of the body; its place is the query string, as entityDid',
  wallet_did: 'is not a member of the body; its place is the query string, as walletDid',
  claims: 'is not a known member here; its place is data.values',
  holder_did: atIssue,
  valid_from: atIssue,
  valid_until: atIssue,
  status_purposes: atIssue,
};
const HINTS: Hints = { about: COMMON_HINTS };
const PREVIOUS_HINTS: Hints = {
  about: {
    ...COMMON_HINTS,
    meta_schema: `is called schema in version ${PREVIOUS}; leave out the header ${HEADER} for version ${CURRENT}`,
    json_ld_vocabs: newer,
    vcdm_json_schemas: newer,
  },
};
const ADDRESS_PLACE = `must be a definition, {schema, slug?, version?}; the place of the URL of a published schema is data.meta_schema (data.schema only in version ${PREVIOUS})`;

function memberOf(object: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(object) ? ownMember(object, name) : undefined;
}

/** A definition with its faults, or a URL; undefined for anything that the schema of the body refuses anyway. */
function readReference(value: JsonValue | undefined, path: string, faults: Fault[]): SchemaReference | undefined {
  if (typeof value === 'string') return { url: value };
  if (!isJsonObject(value)) return undefined;
  const { parsed, faults: found } = parseMetaSchema(value, path);
  faults.push(...found);
  return parsed && { definition: parsed };
}

/** The member of the body that holds the schema: exactly one of the two is allowed. */
function referenceName(content: JsonValue | undefined, version: ApiVersion, faults: Fault[]): 'schema' | 'meta_schema' {
  if (version === PREVIOUS) return 'schema';
  const [own, meta] = [memberOf(content, 'schema'), memberOf(content, 'meta_schema')];
  if (own !== undefined && meta !== undefined) {
    faults.push({ path: 'data.schema', message: 'must not be present together with meta_schema' });
  }
  if (own === undefined && meta === undefined && isJsonObject(content)) {
    faults.push({ path: 'data.meta_schema', message: 'is required, unless schema is present' });
  }
  return meta === undefined && own !== undefined ? 'schema' : 'meta_schema';
}

type Accepted = Pick<WrittenDraft, 'labels' | 'annotations' | 'jsonLdVocabs' | 'vcdmJsonSchemas'>;
type Body = ReturnType<typeof draftCreateBody.parse> | ReturnType<typeof previousDraftCreateBody.parse>;

/** The members that can be judged without the schema; nothing of a body with faults is used. */
function acceptedOf(body: Body | undefined): Accepted {
  if (!body) return { labels: {}, annotations: {}, jsonLdVocabs: [], vcdmJsonSchemas: [] };
  const { labels, annotations } = body;
  const lists = 'json_ld_vocabs' in body.data ? body.data : { json_ld_vocabs: [], vcdm_json_schemas: [] };
  return { labels, annotations, jsonLdVocabs: lists.json_ld_vocabs, vcdmJsonSchemas: lists.vcdm_json_schemas };
}

/**
 * Reads a draft in either version and collects every fault, except those of the values, which only the schema can
 * judge.
 */
export function parseDraftBody(body: JsonValue, version: ApiVersion): WrittenDraft {
  const previous = version === PREVIOUS;
  const judged = previous ? judge(previousDraftCreateBody, body, PREVIOUS_HINTS) : judge(draftCreateBody, body, HINTS);
  const content = memberOf(body, 'data');
  const isAddress = !previous && typeof memberOf(content, 'schema') === 'string';
  const faults = judged.faults.map((one) =>
    isAddress && one.path === 'data.schema' ? { ...one, message: ADDRESS_PLACE } : one,
  );
  const name = referenceName(content, version, faults);
  const path = `data.${name}`;
  const reference = readReference(memberOf(content, name), path, faults);
  const values = memberOf(content, 'values');
  return {
    ...acceptedOf(judged.value),
    reference,
    referencePath: path,
    values: isJsonObject(values) ? values : {},
    faults,
  };
}

/** The typed values of a body in either version, and every place where they do not match the schema. */
export function readValues(
  given: JsonObject,
  schema: ClaimsSchema,
  version: ApiVersion,
): { readonly values: ClaimValues; readonly faults: readonly Fault[] } {
  const path = 'data.values';
  const values = version === PREVIOUS ? toTypedValues(given, schema) : given;
  const faults = inVersion(findValueFaults(values, schema, path), version);
  const hint = version === PREVIOUS ? TYPED : UNTYPED;
  const ofOther = new Set(formsOfOther(given, schema, version).map((name) => memberPath(path, name)));
  return { values, faults: faults.map((one) => (ofOther.has(one.path) ? { ...one, message: hint } : one)) };
}

const UNTYPED = `must be {"kind": …, "value": …}; plain values are those of version ${PREVIOUS} (header ${HEADER})`;
const TYPED = `must be a plain value; {kind, value} is for version ${CURRENT}, without the header ${HEADER}`;

/** The names of the claims whose values have the form of the other version. */
function formsOfOther(given: JsonObject, { fields }: ClaimsSchema, version: ApiVersion): string[] {
  const isTyped = (value: JsonObject) => Object.hasOwn(value, 'kind') && Object.hasOwn(value, 'value');
  const names = fields.map(({ value }) => value.name).filter((name) => Object.hasOwn(given, name));
  return names.filter((name) => {
    const value = given[name];
    return version === PREVIOUS ? isJsonObject(value) && isTyped(value) : !isJsonObject(value);
  });
}

/** Faults in typed values, under the paths of the caller's version. */
export function inVersion(faults: readonly Fault[], version: ApiVersion): Fault[] {
  if (version !== PREVIOUS) return [...faults];
  return faults.map(({ path, message }) => ({ path: plainPath(path, 'data.values'), message }));
}

/** `data` of a draft as a version presents it. */
export function draftContent(source: DraftSource, version: ApiVersion): JsonObject {
  const content = {
    meta_schema: source.metaSchemaUrl,
    json_ld_vocabs: [...source.jsonLdVocabs],
    vcdm_json_schemas: [...source.vcdmJsonSchemas],
    values: source.values,
  };
  if (version !== PREVIOUS) return content;
  return { ...downgradeDraft(content, source.definition.schema).content };
}
