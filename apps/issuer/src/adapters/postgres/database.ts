import { CallbackEntity } from '@vestibule/callbacks';
import { AuditRecordEntity, IdempotencyKeyEntity, type ServiceDatabase } from '@vestibule/persistence';
import { AccessTokenEntity } from './access-token.entity';
import { CredentialOfferEntity } from './credential-offer.entity';
import { KeptAnswerEntity } from './kept-answer.entity';
import { MIGRATIONS, SCHEMA } from './migrations';
import { OVERDUE } from './overdue';
import { SEALED } from './sealed-columns';
import { SpentEntity } from './spent.entity';
import { StatusEntryEntity } from './status-entry.entity';
import { StatusListEntity } from './status-list.entity';

/** The schema of the issuer: its tables, and what is sealed in them. */
export const ISSUER_DATABASE: ServiceDatabase = {
  schema: SCHEMA,
  migrations: MIGRATIONS,
  sealed: SEALED,
  overdueSql: OVERDUE,
  entities: [
    CredentialOfferEntity,
    AccessTokenEntity,
    KeptAnswerEntity,
    SpentEntity,
    StatusListEntity,
    StatusEntryEntity,
    IdempotencyKeyEntity,
    AuditRecordEntity,
    CallbackEntity,
  ],
};
