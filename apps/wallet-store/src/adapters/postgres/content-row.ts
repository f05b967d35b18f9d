import type { Sealer } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { ContentRecord, ContentState } from '../../domain/records';
import type { ContentKind } from '../../use-cases/read-content';
import { METADATA_WEIGHT } from './page-of-bytes';

/** A revision of a credential or presentation as Postgres gives it. */
export interface ContentRow {
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

/** Every column of {@link ContentRow} but the body. */
export const CONTENT_COLUMNS = `did, revision, entity_did, wallet_did, state, issuer_did, holder_did, types, labels, annotations, created_at, updated_at`;

/** Bytes of a row of {@link CONTENT_COLUMNS} and `body`. */
export const CONTENT_WEIGHT = `${METADATA_WEIGHT} + octet_length(types::text) + coalesce(octet_length(body), 0)`;

type Place = Pick<ContentRecord, 'walletDid' | 'did' | 'revision'>;

/** What the sealed body of a revision is bound to: copied to another wallet or revision, it does not open. */
export const bodyContext = (kind: ContentKind, { walletDid, did, revision }: Place) =>
  `wallet_store.${kind}.body/${walletDid}/${did}/${revision}`;

/** What the sealed source of a draft's revision is bound to. */
export const sourceContext = (kind: ContentKind, { walletDid, did, revision }: Place) =>
  `wallet_store.${kind}.source/${walletDid}/${did}/${revision}`;

export function sealJson(sealer: Sealer, value: JsonObject, context: string): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(value), 'utf8'), context);
}

export function openJson(sealer: Sealer, sealed: Uint8Array, context: string): JsonObject {
  return JSON.parse(sealer.open(sealed, context).toString('utf8')) as JsonObject;
}

/** The record of a row; its body is opened where it was read. */
export function contentRecord(row: ContentRow, kind: ContentKind, sealer: Sealer): ContentRecord {
  const place = { did: row.did, revision: row.revision, walletDid: row.wallet_did };
  return {
    ...place,
    entityDid: row.entity_did,
    state: row.state,
    ...(row.issuer_did === null ? {} : { issuerDid: row.issuer_did }),
    ...(row.holder_did === null ? {} : { holderDid: row.holder_did }),
    types: row.types,
    labels: row.labels,
    annotations: row.annotations,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.body === null ? {} : { body: openJson(sealer, row.body, bodyContext(kind, place)) }),
  };
}
