import { schemaFindings } from '@vestibule/callbacks';
import { overdueSql } from '@vestibule/persistence';
import { SCHEMA } from './migrations';

/** How long ago, in seconds, the first of the offers should have been ended or deleted. */
export const OVERDUE = overdueSql(`${SCHEMA}.credential_offer`, 'OFFER_CREATED');

/** What the schema of the issuer says about its replicas. */
export const findings = schemaFindings(SCHEMA, OVERDUE);
