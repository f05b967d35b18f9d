import type { OAUTH_ERRORS } from './oauth-errors';

/** One error code: what it means and what to do about it. */
export interface ErrorEntry {
  /** The HTTP status that a backend receives, where the code can reach one. */
  readonly status?: number;
  readonly meaning: string;
  readonly remedy: string;
}

/**
 * The tables of error codes, by name. Each library that throws codes keeps them in `const` tables and adds their types here
 * (declaration merging); docs/errors.md is generated from the same tables.
 */
export interface ErrorTables {
  readonly oauth: typeof OAUTH_ERRORS;
}

/** The tables of reasons: codes that only the operator's log contains, added in the same way. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- each library adds its table
export interface ReasonTables {}

/** A code from one of the tables. No other code can be thrown. */
export type ErrorCode = { [Name in keyof ErrorTables]: keyof ErrorTables[Name] }[keyof ErrorTables] & string;

/** Why a request was refused: a code from a table of reasons, or that of the error behind it. */
export type RefusalCode =
  ErrorCode | ({ [Name in keyof ReasonTables]: keyof ReasonTables[Name] }[keyof ReasonTables] & string);
