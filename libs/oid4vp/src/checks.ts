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
  /** How many disclosures nobody asked for, those of surplus credentials not counted; absent for none. */
  readonly surplusClaims?: number;
  /** How many presentations nobody asked for; absent for none. */
  readonly surplusCredentials?: number;
  /** Only for a failure; `remedy` says what to do about it. */
  readonly code?: string;
  readonly remedy?: string;
}

/** Names a check for the decision record. */
export interface CheckName {
  readonly check: string;
  readonly section: string;
  readonly credential?: string;
}

/** What a check that passed counted. */
export type Counts = Pick<CheckEntry, 'surplusClaims' | 'surplusCredentials'>;

/** Runs checks one after the other and keeps the record of them. */
export interface CheckLog {
  readonly entries: readonly CheckEntry[];
  /** Runs one check: its result, or its error after the failure is recorded. `count` adds numbers to the entry. */
  run<T>(name: CheckName, check: () => T, count?: (result: T) => Counts): T;
  runAsync<T>(name: CheckName, check: () => Promise<T>): Promise<T>;
}

/** For what no table explains: the sentence in the log, with the request id, is all that there is. */
const UNEXPLAINED = 'look for the request in the log of the verifier';

function failureOf(error: unknown): Pick<CheckEntry, 'code' | 'remedy'> & Partial<Pick<CheckEntry, 'section'>> {
  if (error instanceof VerificationFailure) return { code: error.code, remedy: error.remedy, section: error.section };
  const remedy = error instanceof ProcessingFailure ? error.remedy : undefined;
  return { code: error instanceof DomainError ? error.code : 'internal_error', remedy: remedy ?? UNEXPLAINED };
}

/** Makes an empty record; `stopwatch` gives milliseconds that only grow. */
export function createCheckLog(stopwatch: () => number): CheckLog {
  const entries: CheckEntry[] = [];
  const record = (name: CheckName, started: number, failure?: ReturnType<typeof failureOf>, counts?: Counts) => {
    const milliseconds = Math.round((stopwatch() - started) * 1000) / 1000;
    entries.push({ ...name, outcome: failure ? 'failed' : 'passed', milliseconds, ...counts, ...failure });
  };
  return {
    entries,
    run(name, check, count) {
      const started = stopwatch();
      try {
        const result = check();
        record(name, started, undefined, count?.(result));
        return result;
      } catch (error) {
        record(name, started, failureOf(error));
        throw error;
      }
    },
    async runAsync(name, check) {
      const started = stopwatch();
      try {
        const result = await check();
        record(name, started);
        return result;
      } catch (error) {
        record(name, started, failureOf(error));
        throw error;
      }
    },
  };
}
