import type { PublishedDocument } from '@vestibule/contracts';
import type { TenantId } from './records';

/** The name that identifies a published schema; the same for all tenants, and permanent. */
export interface PublishedName {
  readonly tenant: TenantId;
  readonly slug: string;
  readonly version: number;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME = /^\/([0-9a-f-]{36})\/([a-z][a-z0-9-]{0,63})\/([1-9]\d{0,6})(?:\/(context|json-schema|type-metadata))?$/;

/** Can this be the id of a tenant? */
export function isTenantId(text: string): boolean {
  return UUID.test(text);
}

/** The address of a published schema, or of one of the documents that are derived from it. */
export function publishedUrl(baseUrl: string, name: PublishedName, document: PublishedDocument = 'schema'): string {
  const url = `${baseUrl}/schemas/${name.tenant}/${name.slug}/${name.version}`;
  return document === 'schema' ? url : `${url}/${document}`;
}

/** Parses one of this service's own addresses; undefined for any other string. */
export function parsePublishedUrl(
  baseUrl: string,
  url: string,
): (PublishedName & { readonly document: PublishedDocument }) | undefined {
  const prefix = `${baseUrl}/schemas`;
  if (!url.startsWith(prefix)) return undefined;
  const [, tenant = '', slug = '', version = '', document = 'schema'] = NAME.exec(url.slice(prefix.length)) ?? [];
  if (!isTenantId(tenant)) return undefined;
  return { tenant, slug, version: Number(version), document: document as PublishedDocument };
}

/** The address of a temporary schema: it identifies the schema of one draft, and is not served. */
export function temporaryUrl(baseUrl: string, draftDid: string): string {
  return `${baseUrl}/schemas/temporary/${encodeURIComponent(draftDid)}`;
}
