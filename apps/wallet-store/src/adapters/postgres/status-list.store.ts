import { createAudit, type Database } from '@vestibule/persistence';
import { subjectHash } from '@vestibule/process';
import type { StatusPurpose } from '@vestibule/vcdm';
import type { CredentialStatuses } from '../../domain/ports';
import { EVERYBODY } from '../../domain/records';
import { SCHEMA } from './migrations';
import { asTenant, readPublished } from './tenant-scope';

/**
 * The index of a credential (`$4`) for a purpose (`$3`): the one that it has, or the first free candidate (`$5`) in the
 * open list of the entity (`$2`). An index is free if no row has it: the primary key assigns an index to one caller only,
 * even if several draw it at the same time. The list with no index if every candidate was taken; nothing without a list.
 */
const DRAW = `
  WITH own AS (
    SELECT list_id, idx FROM wallet_store.status_entry WHERE tenant_id = $1 AND credential_did = $4 AND purpose = $3
  ), list AS (
    SELECT list_id, size FROM wallet_store.status_list
    WHERE tenant_id = $1 AND entity_did = $2 AND purpose = $3 AND closed_at IS NULL
  ), free AS (
    SELECT list.list_id, candidate.idx
    FROM list CROSS JOIN unnest($5::int[]) WITH ORDINALITY AS candidate (idx, place)
    WHERE candidate.idx < list.size AND NOT EXISTS (SELECT FROM own) AND NOT EXISTS (
      SELECT FROM wallet_store.status_entry AS entry
      WHERE entry.list_id = list.list_id AND entry.idx = candidate.idx)
    ORDER BY candidate.place LIMIT 1
  ), taken AS (
    INSERT INTO wallet_store.status_entry (list_id, idx, tenant_id, purpose, credential_did)
    SELECT list_id, idx, $1::uuid, $3, $4 FROM free ON CONFLICT DO NOTHING RETURNING list_id, idx
  ), found AS (
    SELECT list_id, idx FROM own UNION ALL SELECT list_id, idx FROM taken
  )
  SELECT list_id, idx FROM found
  UNION ALL SELECT list_id, NULL FROM list WHERE NOT EXISTS (SELECT FROM found)`;

/** Opens a list for an entity that has none open, or replaces a full one (`$6`); of several callers exactly one succeeds. */
const OPEN = `
  WITH closed AS (
    UPDATE wallet_store.status_list SET closed_at = now()
    WHERE tenant_id = $1 AND list_id = $6 AND closed_at IS NULL RETURNING list_id
  )
  INSERT INTO wallet_store.status_list (list_id, tenant_id, entity_did, purpose, size)
  SELECT $5, $1::uuid, $2, $3, $4 WHERE EXISTS (SELECT FROM closed) OR NOT EXISTS (
    SELECT FROM wallet_store.status_list
    WHERE tenant_id = $1 AND entity_did = $2 AND purpose = $3 AND closed_at IS NULL)
  ON CONFLICT DO NOTHING`;

/**
 * Sets (`$4`) the entry of a credential for a purpose (`$3`), unless the credential is revoked, and counts the change in
 * its list. The entries are locked first, so that of two changes the later one sees the earlier.
 */
const CHANGE = `
  WITH entry AS (
    SELECT list_id, idx, purpose, is_set FROM wallet_store.status_entry
    WHERE tenant_id = $1 AND credential_did = $2 ORDER BY list_id, idx FOR UPDATE
  ), verdict AS (
    SELECT coalesce(bool_or(is_set) FILTER (WHERE purpose = 'revocation'), false) AS revoked FROM entry
  ), changed AS (
    UPDATE wallet_store.status_entry AS target SET is_set = $4::boolean FROM entry, verdict
    WHERE target.list_id = entry.list_id AND target.idx = entry.idx
      AND entry.purpose = $3 AND entry.is_set <> $4::boolean AND NOT verdict.revoked
    RETURNING target.list_id
  ), counted AS (
    UPDATE wallet_store.status_list SET version = version + 1
    WHERE tenant_id = $1 AND list_id IN (SELECT list_id FROM changed)
  )
  SELECT revoked FROM verdict`;

const FIND_STATUSES = `
  SELECT purpose, is_set FROM wallet_store.status_entry WHERE tenant_id = $1 AND credential_did = $2`;

/** One snapshot: the entries are those of the version. */
const FIND_LIST = `
  SELECT entity_did, purpose, version, size,
    ARRAY(SELECT idx FROM wallet_store.status_entry AS entry WHERE entry.list_id = list.list_id AND is_set) AS set
  FROM wallet_store.status_list AS list WHERE tenant_id = $1 AND list_id = $2`;

const FIND_PUBLISHED = `
  SELECT version, etag, published_version, published_at, CASE WHEN etag = $3 THEN NULL ELSE document END AS document,
    now() AS database_at
  FROM wallet_store.status_list WHERE tenant_id = $1 AND list_id = $2`;

/** Nothing older replaces what is newer, unless that was signed with a clock that was ahead. */
const PUBLISH = `
  UPDATE wallet_store.status_list SET document = $3, etag = $4, published_version = $5, published_at = $6
  WHERE tenant_id = $1 AND list_id = $2
    AND (published_version IS NULL OR (published_version, published_at) < ($5::bigint, $6::timestamptz)
      OR (published_version = $5 AND published_at > greatest(now(), $6) + interval '60 seconds'))`;

interface ListRow {
  readonly entity_did: string;
  readonly purpose: StatusPurpose;
  readonly version: string;
  readonly size: number;
  readonly set: readonly number[];
}

interface PublishedRow {
  readonly version: string;
  readonly etag: string | null;
  readonly published_version: string | null;
  readonly published_at: Date | null;
  readonly document: string | null;
  readonly database_at: Date;
}

const bytesOf = (listId: string) => Buffer.from(listId, 'base64url');

function publishedOf({ version, etag, published_version, published_at, document, database_at }: PublishedRow) {
  const list = { version: Number(version), databaseAt: database_at };
  if (etag === null || published_version === null || published_at === null) return { ...list, published: undefined };
  const published = { version: Number(published_version), signedAt: published_at, etag };
  return { ...list, published: { ...published, document: document ?? undefined } };
}

/** Status lists of issued credentials in Postgres. They are public, and which credential has which entry is not. */
export function createStatusListStore(database: Database): CredentialStatuses {
  const audit = createAudit({ database, schema: SCHEMA });
  return {
    async drawIndex(tenant, { entityDid, purpose, credentialDid }, candidates) {
      const parameters = [tenant, entityDid, purpose, credentialDid, [...candidates]];
      const [row] = await asTenant(database, tenant, ({ query }) =>
        query<{ list_id: Buffer; idx: number | null }>(DRAW, parameters),
      );
      return row && { listId: row.list_id.toString('base64url'), index: row.idx ?? undefined };
    },
    async openList(tenant, { entityDid, purpose, size, listId }, full) {
      const parameters = [tenant, entityDid, purpose, size, bytesOf(listId), full === undefined ? null : bytesOf(full)];
      await asTenant(database, tenant, ({ query }) => query(OPEN, parameters));
    },
    async findStatuses(tenant, credentialDid) {
      const rows = await asTenant(database, tenant, ({ query }) =>
        query<{ purpose: StatusPurpose; is_set: boolean }>(FIND_STATUSES, [tenant, credentialDid]),
      );
      return new Map(rows.map(({ purpose, is_set }) => [purpose, is_set]));
    },
    changeStatus(tenant, credentialDid, { purpose, isSet }) {
      return asTenant(database, tenant, async ({ query }) => {
        const [row] = await query<{ revoked: boolean }>(CHANGE, [tenant, credentialDid, purpose, isSet]);
        const wasRevoked = row?.revoked ?? false;
        const details = { [purpose]: isSet ? 'set' : 'unset' };
        const entry = { action: 'credential.status', target: subjectHash(credentialDid), details };
        if (!wasRevoked) await audit.append(query, entry);
        return { wasRevoked };
      });
    },
    async findList(asker, { tenant, listId }) {
      const [row] = await readPublished(database, { owner: tenant, asker }, ({ query }) =>
        query<ListRow>(FIND_LIST, [tenant, bytesOf(listId)]),
      );
      if (!row) return undefined;
      const { entity_did: entityDid, purpose, version, size, set } = row;
      return { entityDid, purpose, version: Number(version), size, set };
    },
    async findPublished({ tenant, listId }, knownEtag) {
      const parameters = [tenant, bytesOf(listId), knownEtag ?? null];
      const read = { owner: tenant, asker: EVERYBODY };
      const [row] = await readPublished(database, read, ({ query }) => query<PublishedRow>(FIND_PUBLISHED, parameters));
      return row && publishedOf(row);
    },
    async publish({ tenant, listId }, { document, etag, version, signedAt }) {
      const parameters = [tenant, bytesOf(listId), document, etag, version, signedAt];
      await asTenant(database, tenant, ({ query }) => query(PUBLISH, parameters));
    },
  };
}
