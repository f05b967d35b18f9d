import { outboxFindings } from '@vestibule/callbacks';
import { overdueFindings, type Rows } from '@vestibule/persistence';
import type { Finding } from '@vestibule/process';
import { SCHEMA } from './migrations';

/** How long ago, in seconds, the first record should have been ended or deleted; 0 or less if all is in time. */
export const OVERDUE = `SELECT greatest(
    extract(epoch FROM now() - (SELECT min(expires_at) FROM ${SCHEMA}.presentation_request WHERE status = 'PENDING')),
    extract(epoch FROM now() - (SELECT min(finished_at) FROM ${SCHEMA}.presentation_request
      WHERE finished_at IS NOT NULL)) - $1, 0)::float8 AS seconds`;

/** What the schema of the verifier says about its replicas: do they purge, and deliver? */
export async function schemaFindings(
  rows: Rows,
  { retentionSeconds }: { readonly retentionSeconds: number },
): Promise<readonly Finding[]> {
  const [row] = await rows(OVERDUE, [retentionSeconds]);
  return [...overdueFindings(Number(row?.['seconds'])), ...(await outboxFindings(rows, SCHEMA))];
}
