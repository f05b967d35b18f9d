import { setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { ClaimField, ClaimItem, ClaimKind, ClaimsSchema } from './claims-schema';
import { typeNameOf } from './meta-schema';
import { W3C_TERMS } from './reserved-names';

const XSD = 'http://www.w3.org/2001/XMLSchema#';

const COERCIONS: Readonly<Partial<Record<ClaimField['kind'], string>>> = {
  DATE: `${XSD}date`,
  DATE_TIME: `${XSD}dateTime`,
  LINKED_CREDENTIAL: '@id',
  LINKED_FILE: '@id',
};

/** A kind whose values are read as values of this type are; `STRING` where values are read as they are written. */
export function kindOfReading(type: JsonValue | undefined): ClaimKind {
  const found = Object.entries(COERCIONS).find(([, coercion]) => coercion === type);
  return (found?.[0] ?? 'STRING') as ClaimKind;
}

/** How the values of a claim are read: their type, and for objects the terms within them. */
function reading(field: ClaimField | ClaimItem, iri: string): JsonObject {
  if (field.kind === 'LIST') return { ...reading(field.value.items, iri), '@container': '@list' };
  if (field.kind === 'OBJECT') return { '@context': terms(field.value.fields, `${iri}.`) };
  const coercion = COERCIONS[field.kind];
  return coercion === undefined ? {} : { '@type': coercion };
}

/** The name of a claim is appended to `iri`, so that each claim of each object has its own IRI. */
function terms(fields: readonly ClaimField[], iri: string): JsonObject {
  const context: JsonObject = {};
  for (const field of fields) {
    const { name } = field.value;
    if (W3C_TERMS.has(name)) continue;
    const own = `${iri}${name}`;
    setOwnMember(context, name, { '@id': own, ...reading(field, own) });
  }
  return context;
}

/** Where the terms of a schema are: `vocabulary` is an absolute IRI that ends with `#`. */
export interface ContextOptions {
  readonly vocabulary: string;
  readonly slug: string | undefined;
}

/**
 * The terms of a claims schema as a JSON-LD 1.1 context: one for each claim, and one for the type of the credentials where
 * the schema has a slug. Terms that the W3C context protects keep their meaning there (VCDM 2.0 §B.1).
 */
export function contextTerms(schema: ClaimsSchema, { vocabulary, slug }: ContextOptions): JsonObject {
  const type = slug === undefined ? {} : { [typeNameOf(slug)]: { '@id': `${vocabulary}${typeNameOf(slug)}` } };
  return { ...type, ...terms(schema.fields, vocabulary) };
}

/** The JSON-LD context document of a published schema. */
export function jsonLdContext(schema: ClaimsSchema, options: ContextOptions): JsonObject {
  return { '@context': contextTerms(schema, options) };
}
