import type { ErrorEntry } from '@vestibule/foundation';

/** What a sealed record, and the row around it, can fail with. */
export const SEAL_ERRORS = {
  seal_broken: {
    status: 503,
    meaning: 'a sealed record cannot be opened: its key is not configured, or the record was modified',
    remedy: 'add the key that sealed it back to `SEALING_KEYS`',
  },
  record_altered: {
    status: 503,
    meaning:
      'a row does not agree with what is sealed for it: somebody else has written to the database, or issuers of two versions run',
    remedy: 'finish an upgrade that has begun; otherwise find out who writes: `docs/database.md`, "Who may write"',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly seal: typeof SEAL_ERRORS;
  }
}
