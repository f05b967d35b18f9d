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
import { draftCreateBody, previousDraftCreateBody, schemaFaults, type ApiVersion } from '@vestibule/contracts';
import { isJsonObject, ownMember, type Fault, type JsonObject, type JsonValue } from '@vestibule/foundation';
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

const MEMBERS = ['labels', 'annotations', 'data', 'values', 'schema'];
const CURRENT_MEMBERS = [...MEMBERS, 'meta_schema', 'json_ld_vocabs', 'vcdm_json_schemas'];

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
  const parsed = (previous ? previousDraftCreateBody : draftCreateBody).safeParse(body);
  const faults = schemaFaults(parsed.error, previous ? MEMBERS : CURRENT_MEMBERS);
  const content = memberOf(body, 'data');
  const name = referenceName(content, version, faults);
  const path = `data.${name}`;
  const reference = readReference(memberOf(content, name), path, faults);
  const values = memberOf(content, 'values');
  return {
    ...acceptedOf(parsed.data),
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
  return { values, faults: inVersion(findValueFaults(values, schema, path), version) };
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
