import type { Database } from '@vestibule/persistence';
import type { TenantId } from '../../domain/records';

const FIND = `
  SELECT tenant_id FROM wallet_store.api_key WHERE key_digest = $1 AND revoked_at IS NULL`;

const INSTALL = `
  WITH named AS (
    INSERT INTO wallet_store.tenant (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id
  )
  INSERT INTO wallet_store.api_key (key_digest, tenant_id) SELECT $2, id FROM named ON CONFLICT (key_digest) DO NOTHING`;

/** Tenants by their API keys, of which only digests are known. */
export class TenantStore {
  constructor(private readonly database: Database) {}

  async findTenant(apiKeyDigest: string): Promise<TenantId | undefined> {
    const [row] = await this.database.query<{ tenant_id: string }>(FIND, [Buffer.from(apiKeyDigest, 'base64url')]);
    return row?.tenant_id;
  }

  /** Makes sure that a tenant with this name has this key; a key that was revoked stays so. */
  async install(name: string, keyDigest: Uint8Array): Promise<void> {
    await this.database.query(INSTALL, [name, Buffer.from(keyDigest)]);
  }
}
