import type { JsonObject } from '@vestibule/foundation';
import type { ClaimField, ClaimItem, ClaimsSchema } from './claims-schema';

/** The language of titles and descriptions, which a claims schema does not name. */
const LOCALE = 'en';

/** Where a claim is, and whether everything that it is in is mandatory. */
interface Place {
  readonly path: readonly (string | null)[];
  readonly certain: boolean;
}

const isMandatory = (field: ClaimField | ClaimItem, { path, certain }: Place): boolean =>
  certain && field.value.not_empty === true && path.at(-1) !== null;

function listed(field: ClaimField | ClaimItem, place: Place): JsonObject {
  const { title, description, name } = field.value;
  const label = title ?? name;
  const shown = label === undefined ? undefined : { locale: LOCALE, label };
  return {
    path: [...place.path],
    ...(isMandatory(field, place) ? { mandatory: true } : {}),
    sd: 'allowed',
    ...(shown ? { display: [{ ...shown, ...(description === undefined ? {} : { description }) }] } : {}),
  };
}

/** A claim, then everything within it. */
function claimsBelow(field: ClaimField | ClaimItem, place: Place): JsonObject[] {
  const own = listed(field, place);
  const below = (inner: ClaimField | ClaimItem, part: string | null) =>
    claimsBelow(inner, { path: [...place.path, part], certain: isMandatory(field, place) });
  if (field.kind === 'LIST') return [own, ...below(field.value.items, null)];
  if (field.kind !== 'OBJECT') return [own];
  return [own, ...field.value.fields.flatMap((inner) => below(inner, inner.value.name))];
}

export interface TypeMetadataOptions {
  /** The address that the document is served at. */
  readonly vct: string;
  readonly title: string;
}

/**
 * SD-JWT VC Type Metadata (draft 13 §6) of a claims schema. What is `not_empty`, in nothing that may be absent, is
 * mandatory; every claim may be selectively disclosable.
 */
export function sdJwtTypeMetadata(schema: ClaimsSchema, { vct, title }: TypeMetadataOptions): JsonObject {
  return {
    vct,
    name: title,
    display: [{ locale: LOCALE, name: title }],
    claims: schema.fields.flatMap((field) => claimsBelow(field, { path: [field.value.name], certain: true })),
  };
}
