import { EntitySchema } from 'typeorm';

/** A presentation request; `session` and `answer` are sealed. */
export interface PresentationRequestRow {
  state: Buffer;
  status: string;
  session: Buffer | null;
  createdAt: Date;
  expiresAt: Date;
  finishedAt: Date | null;
  responseDigest: Buffer | null;
  answer: Buffer | null;
  /** The decision record as versions before `decisionRecord` wrote it. */
  checks: unknown;
  callbackUrl: string | null;
  /** When a gateway reported that a wallet came and could not be served. */
  unservedAt: Date | null;
  /** As `encodeDecisionRecord` writes it. */
  decisionRecord: string | null;
}

const STATUSES = ['PENDING', 'FULFILLED', 'REJECTED', 'EXPIRED', 'PROCESSING_ERROR', 'VERIFICATION_FAILED'];

/** The only table of the verifier's flow. It is hot: the store beside it reads and writes it in SQL. */
export const PresentationRequestEntity = new EntitySchema<PresentationRequestRow>({
  name: 'PresentationRequest',
  tableName: 'presentation_request',
  columns: {
    state: { type: 'bytea', primary: true, primaryKeyConstraintName: 'presentation_request_pkey' },
    status: { type: 'text', default: 'PENDING' },
    session: { type: 'bytea', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
    finishedAt: { name: 'finished_at', type: 'timestamptz', nullable: true },
    responseDigest: { name: 'response_digest', type: 'bytea', nullable: true },
    answer: { type: 'bytea', nullable: true },
    checks: { type: 'jsonb', nullable: true },
    callbackUrl: { name: 'callback_url', type: 'text', nullable: true },
    unservedAt: { name: 'unserved_at', type: 'timestamptz', nullable: true },
    decisionRecord: { name: 'decision_record', type: 'text', nullable: true },
  },
  indices: [
    { name: 'presentation_request_open', columns: ['expiresAt'], where: "status = 'PENDING'" },
    { name: 'presentation_request_ended', columns: ['finishedAt'], where: 'finished_at IS NOT NULL' },
  ],
  checks: [
    { name: 'presentation_request_state_check', expression: 'octet_length(state) = 24' },
    { name: 'presentation_request_status_check', expression: `status IN ('${STATUSES.join("', '")}')` },
    { name: 'open_has_session', expression: "(status = 'PENDING') = (session IS NOT NULL)" },
    { name: 'ended_has_time', expression: "(status = 'PENDING') = (finished_at IS NULL)" },
  ],
});
