import { EntitySchema } from 'typeorm';

/** An event of the outbox; `payload` is sealed, and null once the event is dead. */
export interface CallbackRow {
  id: Buffer;
  subject: string;
  /** A bigint, as the driver returns it. */
  sequence: string;
  payload: Buffer | null;
  attempts: number;
  nextAttemptAt: Date;
  leasedUntil: Date | null;
  createdAt: Date;
  expiresAt: Date;
  deadAt: Date | null;
  lastResult: string | null;
  status: string | null;
  url: string | null;
  details: Buffer | null;
  heldUntil: Date | null;
  target: string;
}

/**
 * The outbox, in the schema of each service that sends callbacks. All of it is hot, so it is read and written in SQL.
 */
export const CallbackEntity = new EntitySchema<CallbackRow>({
  name: 'Callback',
  tableName: 'callback',
  columns: {
    id: { type: 'bytea', primary: true, primaryKeyConstraintName: 'callback_pkey' },
    subject: { type: 'text' },
    sequence: { type: 'bigint', insert: false, update: false },
    payload: { type: 'bytea', nullable: true },
    attempts: { type: 'integer', default: 0 },
    nextAttemptAt: { name: 'next_attempt_at', type: 'timestamptz', default: () => 'now()' },
    leasedUntil: { name: 'leased_until', type: 'timestamptz', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', default: () => 'now()' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
    deadAt: { name: 'dead_at', type: 'timestamptz', nullable: true },
    lastResult: { name: 'last_result', type: 'text', nullable: true },
    status: { type: 'text', nullable: true },
    url: { type: 'text', nullable: true },
    details: { type: 'bytea', nullable: true },
    heldUntil: { name: 'held_until', type: 'timestamptz', nullable: true },
    target: {
      type: 'text',
      generatedType: 'STORED',
      asExpression: "coalesce(substring(url FROM '^https?://[^/]+'), '')",
    },
  },
  indices: [
    { name: 'callback_due', columns: ['target', 'nextAttemptAt'], where: 'dead_at IS NULL' },
    { name: 'callback_order', columns: ['subject', 'sequence'] },
    { name: 'callback_expiry', columns: ['expiresAt'], where: 'dead_at IS NULL AND expires_at IS NOT NULL' },
    { name: 'callback_dead', columns: ['deadAt'], where: 'dead_at IS NOT NULL' },
    { name: 'callback_letter', columns: ['id'], where: 'dead_at IS NOT NULL' },
    { name: 'callback_replayable', columns: ['id'], where: 'dead_at IS NOT NULL AND details IS NOT NULL' },
  ],
  checks: [{ name: 'callback_payload_gone', expression: '(payload IS NULL) = (dead_at IS NOT NULL)' }],
});
