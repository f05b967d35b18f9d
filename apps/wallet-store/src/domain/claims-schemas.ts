import { isDeepStrictEqual } from 'node:util';
import type { MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import type { RepeatableCall } from './drafts';
import type { OwnedRecord, TenantId } from './records';
import type { PublishedName } from './schema-addresses';
import type { Rows, Search } from './search';

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

/** Schemas in the store. */
export interface Schemas {
  insertSchema<Answer extends object>(
    tenant: TenantId,
    schema: SchemaRecord,
    answer: Answer,
    call?: RepeatableCall,
  ): Promise<Answer>;
  findSchema(tenant: TenantId, id: string): Promise<SchemaRecord | undefined>;
  /** One statement: `schema` takes the place of the revision before it, unless that was changed or published meanwhile. */
  replaceSchema(tenant: TenantId, schema: SchemaRecord): Promise<boolean>;
  /**
   * One transaction: the schema becomes published under a name, and the name gets the publication unless it has one.
   * `lost` when the schema was changed meanwhile, and the publication that the name has when it is another one.
   */
  publishSchema(tenant: TenantId, schema: SchemaRecord, publication: PublishedSchema): Promise<PublicationOutcome>;
  searchSchemas(tenant: TenantId, search: Search): Promise<Rows<SchemaRecord>>;
  searchPublished(tenant: TenantId, search: Search): Promise<Rows<PublishedSchema>>;
  findPublished(name: PublishedName): Promise<PublishedSchema | undefined>;
}

export type PublicationOutcome = 'published' | 'lost' | 'taken';

/** Do they say the same? Slug and version are the name, not the definition. */
export function isSameDefinition(one: MetaSchema, other: MetaSchema): boolean {
  return isDeepStrictEqual(one.schema, other.schema);
}
