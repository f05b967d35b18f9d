import { isDeepStrictEqual } from 'node:util';
import type { MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import type { OwnedRecord } from './records';
import type { PublishedName } from './schema-addresses';

/** A tenant's schema; once published, it is immutable. */
export interface SchemaRecord extends OwnedRecord {
  readonly id: string;
  readonly definition: MetaSchema;
  readonly published?: { readonly slug: string; readonly version: number } | undefined;
}

/** A schema that everybody can read and nobody can change. */
export interface PublishedSchema extends PublishedName {
  /** The schema that it was published from. */
  readonly id: string;
  readonly definition: MetaSchema;
  readonly ownerDid: string;
  /** The document that its owner signed. */
  readonly document: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/**
 * `lost`: the schema was changed meanwhile; `taken`: the name belongs to another one; `outdated`: the slug has a higher
 * version.
 */
export type PublicationOutcome = 'published' | 'lost' | 'taken' | 'outdated';

/** Are the two definitions equal? Slug and version are the name and do not count. */
export function isSameDefinition(one: MetaSchema, other: MetaSchema): boolean {
  return isDeepStrictEqual(one.schema, other.schema);
}
