/** The times of a request as its row has them. */
export interface TimesRow {
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly finished_at: Date | null;
}

/** The times of a request for a backend: RFC 3339 in UTC. */
export function timesOf({ created_at: createdAt, expires_at: expiresAt, finished_at: finishedAt }: TimesRow) {
  return {
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    ...(finishedAt ? { finished_at: finishedAt.toISOString() } : {}),
  };
}
