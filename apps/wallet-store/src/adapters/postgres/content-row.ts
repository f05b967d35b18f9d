import type { Sealer } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { ContentKind } from '../../domain/content';
import type { Draft } from '../../domain/drafts';
import type { ContentRecord, ContentState } from '../../domain/records';
import type { ContentRow } from './content.entity';
import { METADATA_WEIGHT } from './page-of-bytes';

/** A revision as a repository returns it; its body is null where it was not read. */
export type ReadRow = Omit<ContentRow, 'body' | 'latest' | 'tenantId' | 'source' | 'presented'> & {
  readonly body: Buffer | null;
};

/** A revision as an SQL statement returns it. */
export interface SqlRow {
  did: string;
  revision: number;
  entity_did: string;
  wallet_did: string;
  state: ContentState;
  issuer_did: string | null;
  holder_did: string | null;
  types: string[];
  body: Buffer | null;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  created_at: Date;
  updated_at: Date;
}

/** Maps the column names of the table to the property names of the entity. */
export function readRow({ entity_did, wallet_did, issuer_did, holder_did, created_at, ...row }: SqlRow): ReadRow {
  return {
    ...row,
    entityDid: entity_did,
    walletDid: wallet_did,
    issuerDid: issuer_did,
    holderDid: holder_did,
    createdAt: created_at,
    updatedAt: row.updated_at,
  };
}

/** Every column of {@link SqlRow} except the body. */
export const CONTENT_COLUMNS = `did, revision, entity_did, wallet_did, state, issuer_did, holder_did, types, labels, annotations, created_at, updated_at`;

/** The bytes of a text, or of an array of texts, in JSON, where one byte may become six. */
const inJson = (column: string) => `coalesce(octet_length(to_json(${column})::text), 0)`;

/** The bytes of a row that may be many: {@link CONTENT_COLUMNS} and `body`, without instants and numbers. */
export const CONTENT_WEIGHT = `${METADATA_WEIGHT} + coalesce(octet_length(body), 0) + ${[
  ...['did', 'entity_did', 'wallet_did', 'issuer_did', 'holder_did', 'types'],
]
  .map(inJson)
  .join(' + ')}`;

type Place = Pick<ContentRecord, 'walletDid' | 'did' | 'revision'>;

/** What the sealed body of a revision is bound to: a copy in another wallet or revision does not open. */
export const bodyContext = (kind: ContentKind, { walletDid, did, revision }: Place) =>
  `wallet_store.${kind}.body/${walletDid}/${did}/${revision}`;

/** What the sealed source of a draft's revision is bound to. */
export const sourceContext = (kind: ContentKind, { walletDid, did, revision }: Place) =>
  `wallet_store.${kind}.source/${walletDid}/${did}/${revision}`;

export function sealJson(sealer: Sealer, value: JsonObject, context: string): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(value), 'utf8'), context);
}

function openJson(sealer: Sealer, sealed: Uint8Array, context: string): JsonObject {
  return JSON.parse(sealer.open(sealed, context).toString('utf8')) as JsonObject;
}

/** The record of a row; its body is opened if it was read. */
export function contentRecord(row: ReadRow, kind: ContentKind, sealer: Sealer): ContentRecord {
  const place = { did: row.did, revision: row.revision, walletDid: row.walletDid };
  return {
    ...place,
    entityDid: row.entityDid,
    state: row.state,
    ...(row.issuerDid === null ? {} : { issuerDid: row.issuerDid }),
    ...(row.holderDid === null ? {} : { holderDid: row.holderDid }),
    types: row.types,
    labels: row.labels,
    annotations: row.annotations,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.body === null ? {} : { body: openJson(sealer, row.body, bodyContext(kind, place)) }),
  };
}

/** The draft of a row whose body and source were read. */
export function draftOf(row: ReadRow & { readonly source: Buffer | null }, kind: ContentKind, sealer: Sealer): Draft {
  const { body, ...record } = contentRecord(row, kind, sealer);
  if (!body || !row.source) throw new RangeError('a draft has a body and a source');
  return { ...record, body, source: openJson(sealer, row.source, sourceContext(kind, record)) };
}
