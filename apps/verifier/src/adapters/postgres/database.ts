import { CallbackEntity } from '@vestibule/callbacks';
import { AuditRecordEntity, IdempotencyKeyEntity, type ServiceDatabase } from '@vestibule/persistence';
import { MIGRATIONS, SCHEMA } from './migrations';
import { PresentationRequestEntity } from './presentation-request.entity';
import { OVERDUE } from './overdue';
import { SEALED } from './sealed-columns';

/** The schema of the verifier: its tables, and what is sealed in them. */
export const VERIFIER_DATABASE: ServiceDatabase = {
  schema: SCHEMA,
  migrations: MIGRATIONS,
  sealed: SEALED,
  overdueSql: OVERDUE,
  entities: [PresentationRequestEntity, IdempotencyKeyEntity, AuditRecordEntity, CallbackEntity],
};
