import { holdsObject, memberOf, placeOf, refuse, type Fault, type JsonValue, type Place } from '@vestibule/foundation';
import { ambiguousClaims } from './ambiguous-claims';
import { CLAIMS_LIMITS, DEFAULT_VERSION, type ClaimsSchema, type MetaSchema } from './claims-schema';
import { belongsTo, refuseUnknown } from './findings';
import { readClaimsSchema, type Parsed } from './parse-claims-schema';
import { W3C_TYPES } from './reserved-names';

const SLUG = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** The W3C type of the credentials of a schema: `employee-badge` is `EmployeeBadge`. */
export function typeNameOf(slug: string): string {
  return slug
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function readSlug(place: Place): string | undefined {
  const { value } = place;
  if (value === undefined) return undefined;
  const possible = typeof value === 'string' && value.length <= CLAIMS_LIMITS.maxNameLength && SLUG.test(value);
  if (!possible) {
    refuse(place, `must be words of lower-case letters and digits joined by -, at most ${CLAIMS_LIMITS.maxNameLength}`);
    return undefined;
  }
  if (W3C_TYPES.has(typeNameOf(value))) refuse(place, 'is the name of a type that W3C credentials define');
  return value;
}

function readVersion(place: Place): number | undefined {
  const { value } = place;
  if (value === undefined) return undefined;
  const possible = typeof value === 'number' && Number.isInteger(value) && value >= 1;
  if (possible && value <= CLAIMS_LIMITS.maxVersion) return value;
  refuse(place, `must be a whole number from 1 to ${CLAIMS_LIMITS.maxVersion}`);
  return undefined;
}

/** Reads `{schema: ClaimsSchema, slug?, version?}`, with every fault by its path below `path`. */
export function parseMetaSchema(value: JsonValue | undefined, path: string): Parsed<MetaSchema> {
  const place = placeOf(value, path);
  const { faults } = place.findings;
  if (!holdsObject(place)) return { parsed: undefined, faults };
  const schemaAt = memberOf(place, 'schema');
  refuseUnknown(place, ['schema', 'slug', 'version'], {
    places: { fields: belongsTo(`${schemaAt.path}.fields`) },
  });
  const schema = readClaimsSchema(schemaAt);
  if (schema) faults.push(...ambiguousClaims(schema, schemaAt.path));
  const [slugAt, versionAt] = [memberOf(place, 'slug'), memberOf(place, 'version')];
  const [slug, version] = [readSlug(slugAt), readVersion(versionAt)];
  if (schema && slug !== undefined) faults.push(...namingFaults(schema, slug, slugAt.path));
  if (!schema || faults.length > 0) return { parsed: undefined, faults };
  const named = { ...(slug === undefined ? {} : { slug }), ...(version === undefined ? {} : { version }) };
  return { parsed: { schema, ...named }, faults };
}

/** Under which name a schema is published. */
export interface Publication {
  readonly slug: string;
  readonly version: number;
}

/**
 * Reads the body of a publication, `{slug?, version?}`. What it does not name comes from the definition; a slug must
 * come from one of the two, and the version is 1 if none of them has one.
 */
export function parsePublication(
  value: JsonValue | undefined,
  definition: Partial<Publication> = {},
): Parsed<Publication> {
  const place = placeOf(value);
  const { faults } = place.findings;
  if (!holdsObject(place)) return { parsed: undefined, faults };
  refuseUnknown(place, ['slug', 'version']);
  const slugAt = memberOf(place, 'slug');
  const slug = slugAt.value === undefined ? definition.slug : readSlug(slugAt);
  if (slugAt.value === undefined && slug === undefined) refuse(slugAt, 'is required: the definition has no slug');
  const version = readVersion(memberOf(place, 'version')) ?? definition.version ?? DEFAULT_VERSION;
  return { parsed: slug === undefined || faults.length > 0 ? undefined : { slug, version }, faults };
}

/** A JSON-LD context has one meaning for each term, so no claim may be named like the type of its schema. */
export function namingFaults(schema: ClaimsSchema, slug: string, path: string): Fault[] {
  const taken = schema.fields.some(({ value }) => value.name === typeNameOf(slug));
  return taken ? [{ path, message: `results in the type ${typeNameOf(slug)}, which is the name of a claim` }] : [];
}
