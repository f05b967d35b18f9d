import { isJsonObject, memberPath, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { kindOfJson, toPlainClaims, toTypedValues, type ClaimValues } from './claim-values';
import type { ClaimField, ClaimItem, ClaimsSchema } from './claims-schema';

/** `data` of a draft in the current version of the API. */
export interface DraftContent {
  readonly meta_schema: string;
  readonly json_ld_vocabs: readonly string[];
  readonly vcdm_json_schemas: readonly string[];
  readonly values: ClaimValues;
}

/** `data` of a draft in version 0.38: plain values, and `schema` for what is `meta_schema` now. */
export interface PreviousDraftContent {
  readonly schema: string;
  readonly values: JsonObject;
}

/** A draft as version 0.38 shows it, and the path of everything that this version cannot say. */
export interface Downgraded {
  readonly content: PreviousDraftContent;
  readonly losses: readonly string[];
}

/** A kind is lost if the schema does not state it and the JSON value implies another one. */
function lossesOf(wrapped: JsonValue, field: ClaimField | ClaimItem | undefined, path: string): string[] {
  if (!isJsonObject(wrapped)) return [path];
  const value = ownMember(wrapped, 'value') ?? null;
  const own = ownMember(wrapped, 'kind') === (field?.kind ?? kindOfJson(value)) ? [] : [`${path}.kind`];
  if (Array.isArray(value)) {
    const items = field?.kind === 'LIST' ? field.value.items : undefined;
    return [...own, ...value.flatMap((item, index) => lossesOf(item, items, `${path}.value[${index}]`))];
  }
  if (!isJsonObject(value)) return own;
  return [...own, ...lossesBelow(value, field?.kind === 'OBJECT' ? field.value.fields : [], `${path}.value`)];
}

function lossesBelow(values: JsonObject, fields: readonly ClaimField[], path: string): string[] {
  const byName = new Map(fields.map((field) => [field.value.name, field]));
  return Object.entries(values).flatMap(([name, value]) => lossesOf(value, byName.get(name), memberPath(path, name)));
}

/** The draft as version 0.38 shows it. */
export function downgradeDraft(content: DraftContent, schema: ClaimsSchema): Downgraded {
  const { meta_schema, json_ld_vocabs, vcdm_json_schemas, values } = content;
  return {
    content: { schema: meta_schema, values: toPlainClaims(values) },
    losses: [
      ...(json_ld_vocabs.length === 0 ? [] : ['json_ld_vocabs']),
      ...(vcdm_json_schemas.length === 0 ? [] : ['vcdm_json_schemas']),
      ...lossesBelow(values, schema.fields, 'values'),
    ],
  };
}

/** The draft of the current version for one of version 0.38; the schema determines the kind of each value. */
export function upgradeDraft({ schema: url, values }: PreviousDraftContent, schema: ClaimsSchema): DraftContent {
  return { meta_schema: url, json_ld_vocabs: [], vcdm_json_schemas: [], values: toTypedValues(values, schema) };
}

const WRAPPED = /(\.[\w-]+|\[\d+\])\.(?:value|kind)(?=[.[]|$)/g;

/** The path in plain values of a place in typed ones: `values.a.b` for `values.a.value.b.value`. */
export function plainPath(path: string, prefix: string): string {
  return path.startsWith(prefix) ? `${prefix}${path.slice(prefix.length).replace(WRAPPED, '$1')}` : path;
}
