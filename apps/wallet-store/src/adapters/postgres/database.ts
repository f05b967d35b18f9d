import { AuditRecordEntity, IdempotencyKeyEntity, type ServiceDatabase } from '@vestibule/persistence';
import { ApiKeyEntity } from './api-key.entity';
import { CredentialEntity, PresentationEntity } from './content.entity';
import { EntityEntity, WalletEntity } from './key-owner.entity';
import { MIGRATIONS, SCHEMA } from './migrations';
import { ClaimsSchemaEntity, PublishedSchemaEntity } from './schema.entity';
import { SEALED } from './sealed-columns';
import { StatusEntryEntity, StatusListEntity } from './status-list.entity';
import { TenantEntity } from './tenant.entity';

/** The schema of the wallet store: its tables, and what is sealed in them. */
export const WALLET_STORE_DATABASE: ServiceDatabase = {
  schema: SCHEMA,
  migrations: MIGRATIONS,
  sealed: SEALED,
  entities: [
    TenantEntity,
    ApiKeyEntity,
    EntityEntity,
    WalletEntity,
    CredentialEntity,
    PresentationEntity,
    ClaimsSchemaEntity,
    PublishedSchemaEntity,
    StatusListEntity,
    StatusEntryEntity,
    IdempotencyKeyEntity,
    AuditRecordEntity,
  ],
};
