import { schemaFindings } from '@vestibule/callbacks';
import { overdueSql } from '@vestibule/persistence';
import { SCHEMA } from './migrations';

/** How long ago, in seconds, the first of the requests should have been ended or deleted. */
export const OVERDUE = overdueSql(`${SCHEMA}.presentation_request`, 'PENDING');

/** What the schema of the verifier says about its replicas. */
export const findings = schemaFindings(SCHEMA, OVERDUE);
