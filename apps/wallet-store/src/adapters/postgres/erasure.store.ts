import { ApiError } from '@vestibule/foundation';
import { createAudit, DatabaseFault, type Database, type Idempotency, type Query } from '@vestibule/persistence';
import { subjectHash } from '@vestibule/process';
import type { ContentKind } from '../../domain/content';
import type { EraseWallet, WalletToErase } from '../../domain/ports';
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

interface EraserDeps {
  readonly database: Database;
  readonly forget: Idempotency['forget'];
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
export function createWalletEraser({ database, forget }: EraserDeps): EraseWallet {
  const audit = createAudit({ database, schema: SCHEMA });

  async function erase(query: Query, tenant: TenantId, { walletDid, isAbout }: WalletToErase) {
    const count = async (kind: ContentKind) =>
      (await query<{ count: number }>(eraseContent(kind), [tenant, walletDid]))[0]?.count ?? 0;
    const details = { credentials: await count('credential'), presentations: await count('presentation') };
    if ((await query(ERASE_WALLET, [tenant, walletDid])).length === 0) return undefined;
    const { forgotten, unreadable } = await forget({ query }, isAbout);
    // Last, because nobody else can write into the trail from here to the commit.
    await audit.append(query, { action: 'wallet.erase', target: subjectHash(walletDid), details });
    return { ...details, answers: forgotten, unreadableAnswers: unreadable };
  }

  return async function eraseWallet(wallet) {
    const [tenant] = await database.query<{ id: string }>(FIND_TENANT, [wallet.tenantName]);
    if (!tenant) return undefined;
    try {
      return await asTenantAtLength(database, tenant.id, ({ query }) => erase(query, tenant.id, wallet));
    } catch (error) {
      throw isInUse(error) ? changedMeanwhile(error) : error;
    }
  };
}
