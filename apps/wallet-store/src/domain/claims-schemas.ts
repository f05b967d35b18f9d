import { isDeepStrictEqual } from 'node:util';
import type { MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import type { OwnedRecord } from './records';
import type { PublishedName } from './schema-addresses';

/** A schema that its tenant works on; once it is published, it stays as it is. */
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

/** `lost`: the schema was changed meanwhile; `taken`: another one has the name. */
export type PublicationOutcome = 'published' | 'lost' | 'taken';

/** Do they say the same? Slug and version are the name, not the definition. */
export function isSameDefinition(one: MetaSchema, other: MetaSchema): boolean {
  return isDeepStrictEqual(one.schema, other.schema);
}
