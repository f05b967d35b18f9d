import { schemaFindings } from '@vestibule/callbacks';
import { overdueSql } from '@vestibule/persistence';
import { SCHEMA } from './migrations';
import { hasKeptAnswer } from './purge-statements';

/** How long ago, in seconds, the first of the offers should have been ended or deleted. */
export const OVERDUE = overdueSql(`${SCHEMA}.credential_offer AS offer`, 'OFFER_CREATED', hasKeptAnswer('now()'));

/** What the schema of the issuer says about its replicas. */
export const findings = schemaFindings(SCHEMA, OVERDUE);
