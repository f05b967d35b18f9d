import { DomainError, ProcessingFailure, VerificationFailure } from '@vestibule/foundation';

/** One line of a decision record: which rule was checked and how it ended. Never holds a value from a credential. */
export interface CheckEntry {
  readonly check: string;
  /** The rule, with its document. */
  readonly section: string;
  /** The id of the credential query, where the check is about one credential. */
  readonly credential?: string;
  readonly outcome: 'passed' | 'failed';
  readonly milliseconds: number;
  /** How many disclosures were not requested, those of surplus credentials not counted; absent for none. */
  readonly surplusClaims?: number;
  /** How many presentations were not requested; absent for none. */
  readonly surplusCredentials?: number;
  /** Only for a failure; `remedy` says what to do about it. */
  readonly code?: string;
  readonly remedy?: string;
  /** A code for something unusual about a check that passed, such as `status_list_past_ttl`. */
  readonly note?: string;
}

/** Names a check for the decision record. */
export interface CheckName {
  readonly check: string;
  readonly section: string;
  readonly credential?: string;
}

/** What a check that passed counted. */
export type Counts = Pick<CheckEntry, 'surplusClaims' | 'surplusCredentials'>;

/** Runs checks sequentially and records them. */
export interface CheckLog {
  readonly entries: readonly CheckEntry[];
  /** Runs one check: its result, or its error after the failure is recorded. `count` adds numbers to the entry. */
  run<T>(name: CheckName, check: () => T, count?: (result: T) => Counts): T;
  /** As `run`; `note` puts a word about a check that passed, but not as usual, into its entry. */
  runAsync<T>(name: CheckName, check: (note: (text: string) => void) => Promise<T>): Promise<T>;
  /** Runs a check that is worth an entry only when it fails. */
  require(name: CheckName, check: () => void): void;
  /** The entry of the check that failed with this error, if there is one. */
  entryOf(error: unknown): CheckEntry | undefined;
}

/** For what no table explains: the sentence in the log, with the request id, is all that there is. */
const UNEXPLAINED = 'search the log of the verifier for the request';

function failureOf(error: unknown): Pick<CheckEntry, 'code' | 'remedy'> & Partial<Pick<CheckEntry, 'section'>> {
  if (error instanceof VerificationFailure) return { code: error.code, remedy: error.remedy, section: error.section };
  const remedy = error instanceof ProcessingFailure ? error.remedy : undefined;
  return { code: error instanceof DomainError ? error.code : 'internal_error', remedy: remedy ?? UNEXPLAINED };
}

type Failure = ReturnType<typeof failureOf>;

/** Makes an empty record; `stopwatch` gives milliseconds that only grow. */
export function createCheckLog(stopwatch: () => number): CheckLog {
  const entries: CheckEntry[] = [];
  const failures = new Map<unknown, CheckEntry>();
  const record = (
    name: CheckName,
    started: number,
    more?: Failure | { readonly note: string } | Counts,
  ): CheckEntry => {
    const milliseconds = Math.round((stopwatch() - started) * 1000) / 1000;
    const outcome = more && 'code' in more ? 'failed' : 'passed';
    const entry: CheckEntry = { ...name, outcome, milliseconds, ...more };
    entries.push(entry);
    return entry;
  };
  const fail = (name: CheckName, started: number, error: unknown): void =>
    void failures.set(error, record(name, started, failureOf(error)));
  return {
    entries,
    entryOf: (error) => failures.get(error),
    run(name, check, count) {
      const started = stopwatch();
      try {
        const result = check();
        record(name, started, count?.(result));
        return result;
      } catch (error) {
        fail(name, started, error);
        throw error;
      }
    },
    require(name, check) {
      const started = stopwatch();
      try {
        check();
      } catch (error) {
        fail(name, started, error);
        throw error;
      }
    },
    async runAsync(name, check) {
      const started = stopwatch();
      let note: { readonly note: string } | undefined;
      try {
        const result = await check((text) => (note = { note: text }));
        record(name, started, note);
        return result;
      } catch (error) {
        fail(name, started, error);
        throw error;
      }
    },
  };
}
