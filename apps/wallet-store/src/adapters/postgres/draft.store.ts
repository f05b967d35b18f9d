import type { Sealer } from '@vestibule/crypto';
import { IsNull, Not } from 'typeorm';
import type { ContentKind } from '../../domain/content';
import type { DraftContent } from '../../domain/drafts';
import type { Drafts } from '../../domain/ports';
import type { ContentState, TenantId } from '../../domain/records';
import { bodyContext, draftOf, sealJson, sourceContext } from './content-row';
import { CONTENT_ENTITIES } from './content.entity';
import { asTenant, createOnce, insertRow, recallAnswer, type Connection } from './tenant-scope';

/**
 * One statement, so that exactly one of several concurrent changes wins: revision n stops being the latest as n + 1 is
 * inserted.
 */
const replaceSql = (table: string) => `
  WITH replaced AS (
    UPDATE ${table} SET latest = false
    WHERE tenant_id = $3 AND wallet_did = $4 AND did = $1 AND revision = $2::int - 1 AND latest AND state = 'draft'
    RETURNING entity_did, created_at
  )
  INSERT INTO ${table} (did, revision, latest, tenant_id, wallet_did, state, issuer_did, holder_did, types, body, source,
    labels, annotations, updated_at, entity_did, created_at)
  SELECT $1, $2, true, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, entity_did, created_at FROM replaced
  RETURNING revision`;

interface Revision {
  readonly tenantId: TenantId;
  readonly did: string;
  readonly revision: number;
  readonly walletDid: string;
  readonly state: ContentState;
  readonly updatedAt: Date;
}

/**
 * Drafts in Postgres: credentials or presentations with the source that they are made from. Body and source are sealed.
 */
export function createDraftStore(connection: Connection, sealer: Sealer, kind: ContentKind): Drafts {
  const { database } = connection;
  const entity = CONTENT_ENTITIES[kind];
  const operation = `${kind} draft`;
  const replace = replaceSql(`wallet_store.${kind}`);
  const columns = (place: Revision, content: DraftContent) => ({
    ...place,
    issuerDid: content.issuerDid ?? null,
    holderDid: content.holderDid ?? null,
    types: [...content.types],
    body: sealJson(sealer, content.body, bodyContext(kind, place)),
    source: sealJson(sealer, content.source, sourceContext(kind, place)),
    labels: content.labels,
    annotations: content.annotations,
  });

  return {
    insertDraft({ tenant, owner, did, content, createdAt }, answer, repeatable) {
      const { walletDid, entityDid } = owner;
      const place = { tenantId: tenant, did, revision: 1, walletDid, state: 'draft' as const, updatedAt: createdAt };
      const row = { ...columns(place, content), entityDid, createdAt, latest: true };
      return createOnce(connection, { tenant, operation, repeatable }, answer, (transaction) =>
        insertRow(transaction, entity, row),
      );
    },
    recallDraft: (tenant, repeatable) => recallAnswer(connection, { tenant, operation, repeatable }),
    async findDraft(tenantId, did) {
      const where = { tenantId, did, latest: true, source: Not(IsNull()) };
      const row = await asTenant(database, tenantId, ({ manager }) => manager.findOneBy(entity, where));
      return row ? draftOf(row, kind, sealer) : undefined;
    },
    async replaceDraft(tenantId, { draft, state, content, updatedAt }) {
      const { did, walletDid } = draft;
      const place = { tenantId, did, revision: draft.revision + 1, walletDid, state, updatedAt };
      const { issuerDid, holderDid, types, body, source, labels, annotations } = columns(place, content);
      const rows = await asTenant(database, tenantId, ({ query }) =>
        query(replace, [
          ...[did, place.revision, tenantId, walletDid, state, issuerDid, holderDid, types],
          ...[body, source, labels, annotations, updatedAt],
        ]),
      );
      return rows.length === 1 ? { ...draft, ...content, state, revision: place.revision, updatedAt } : undefined;
    },
  };
}
