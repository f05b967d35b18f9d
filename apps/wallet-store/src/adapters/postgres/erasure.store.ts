import { ApiError } from '@vestibule/foundation';
import { createAudit, DatabaseFault, type Database, type Query } from '@vestibule/persistence';
import { subjectHash } from '@vestibule/process';
import type { ContentKind } from '../../domain/content';
import type { EraseWallet, ErasedContent } from '../../domain/ports';
import type { TenantId } from '../../domain/records';
import { SCHEMA } from './migrations';
import { asTenantAtLength } from './tenant-scope';

const FIND_TENANT = 'SELECT id FROM wallet_store.tenant WHERE name = $1';

/** Every revision; the number of documents. */
const eraseContent = (kind: ContentKind) => `
  WITH erased AS (
    DELETE FROM wallet_store.${kind} WHERE tenant_id = $1 AND wallet_did = $2 RETURNING did
  )
  SELECT count(DISTINCT did)::int AS count FROM erased`;

const ERASE_WALLET = 'DELETE FROM wallet_store.wallet WHERE tenant_id = $1 AND did = $2 RETURNING 1 AS erased';

const FOREIGN_KEY_VIOLATION = '23503';

async function erase(query: Query, tenant: TenantId, walletDid: string): Promise<ErasedContent | undefined> {
  const count = async (kind: ContentKind) =>
    (await query<{ count: number }>(eraseContent(kind), [tenant, walletDid]))[0]?.count ?? 0;
  const erased = { credentials: await count('credential'), presentations: await count('presentation') };
  return (await query(ERASE_WALLET, [tenant, walletDid])).length === 1 ? erased : undefined;
}

function isInUse(error: unknown): boolean {
  return error instanceof DatabaseFault && error.sqlState === FOREIGN_KEY_VIOLATION;
}

function changedMeanwhile(cause: unknown): ApiError {
  const detail = 'something was put into the wallet at the same time; repeat the command';
  return new ApiError({ kind: 'conflict', code: 'concurrent_change', detail, cause });
}

/**
 * Erases wallets, for an operator. The entries of credentials in status lists stay: they name nobody, and an index must never
 * be assigned again.
 */
export function createWalletEraser(database: Database): EraseWallet {
  const audit = createAudit({ database, schema: SCHEMA });
  return async function eraseWallet(tenantName, walletDid) {
    const [tenant] = await database.query<{ id: string }>(FIND_TENANT, [tenantName]);
    if (!tenant) return undefined;
    try {
      return await asTenantAtLength(database, tenant.id, async ({ query }) => {
        const erased = await erase(query, tenant.id, walletDid);
        const entry = { action: 'wallet.erase', target: subjectHash(walletDid), details: { ...erased } };
        if (erased) await audit.append(query, entry);
        return erased;
      });
    } catch (error) {
      throw isInUse(error) ? changedMeanwhile(error) : error;
    }
  };
}
