import { createAudit, type Database } from '@vestibule/persistence';
import type { Tenants } from '../../domain/ports';
import { SCHEMA } from './migrations';

const FIND = `
  SELECT tenant_id FROM wallet_store.api_key WHERE key_digest = $1 AND revoked_at IS NULL`;

const FIND_KNOWN = `
  SELECT key_digest FROM wallet_store.api_key WHERE key_digest = ANY ($1) AND revoked_at IS NULL`;

const INSTALL = `
  WITH named AS (
    INSERT INTO wallet_store.tenant (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id
  )
  INSERT INTO wallet_store.api_key (key_digest, tenant_id) SELECT $2, id FROM named ON CONFLICT (key_digest) DO NOTHING
  RETURNING encode(substr(key_digest, 1, 8), 'hex') AS id`;

const LIST = `
  SELECT encode(substr(k.key_digest, 1, 8), 'hex') AS id, t.name AS tenant, k.created_at, k.revoked_at
  FROM wallet_store.api_key k JOIN wallet_store.tenant t ON t.id = k.tenant_id
  WHERE $1::text IS NULL OR t.name = $1 ORDER BY t.name, k.created_at, k.key_digest`;

const REVOKE = `
  UPDATE wallet_store.api_key SET revoked_at = now()
  WHERE revoked_at IS NULL AND substr(key_digest, 1, 8) = decode($1, 'hex') RETURNING 1 AS revoked`;

interface KeyRow {
  id: string;
  tenant: string;
  created_at: Date;
  revoked_at: Date | null;
}

/**
 * Tenants by their API keys. Every call begins here, before its tenant is known; hence SQL statements outside the scope
 * of a tenant.
 */
export function createTenantStore(database: Database): Tenants {
  const { query } = database;
  const audit = createAudit({ database, schema: SCHEMA });
  return {
    async findTenant(apiKeyDigest) {
      const [row] = await query<{ tenant_id: string }>(FIND, [Buffer.from(apiKeyDigest, 'base64url')]);
      return row?.tenant_id;
    },
    async findKnown(apiKeyDigests) {
      const asked = apiKeyDigests.map((digest) => Buffer.from(digest, 'base64url'));
      const rows = await query<{ key_digest: Buffer }>(FIND_KNOWN, [asked]);
      return rows.map(({ key_digest: digest }) => digest.toString('base64url'));
    },
    async install(name, keyDigest) {
      await audit.run(async (run) => {
        const [made] = await run<{ id: string }>(INSTALL, [name, Buffer.from(keyDigest)]);
        const entry = made && { action: 'api-key.create', target: made.id, details: { tenant: name } };
        return { result: undefined, entry };
      });
    },
    async list(tenant) {
      const rows = await query<KeyRow>(LIST, [tenant ?? null]);
      return rows.map(({ id, tenant: name, created_at, revoked_at }) => ({
        id,
        tenant: name,
        createdAt: created_at,
        revokedAt: revoked_at ?? undefined,
      }));
    },
    revoke: (id) =>
      audit.run(async (run) => {
        const result = (await run(REVOKE, [id])).length;
        return { result, entry: result > 0 ? { action: 'api-key.revoke', target: id } : undefined };
      }),
  };
}
