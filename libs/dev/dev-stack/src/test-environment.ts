import { readClock } from './test-clock';

/** What the tests' global setup passes to the test files. */
export interface TestEnvironment {
  /** Admin URL of the Postgres in which tests create their databases. */
  readonly databaseUrl?: string;
  readonly natsUrl?: string;
  /** The origin of NATS: `given`, `container`, `binary` or `embedded`. */
  readonly natsSource?: string;
  /** Unique for each test run; part of the names of template databases. */
  readonly runId?: string;
  /** Where the host of the shared stages listens. */
  readonly stagesUrl?: string;
  /** What a service loads first, so that it starts faster (`tools/code-cache.cjs`). */
  readonly codeCache?: string;
  readonly searchPath?: string;
}

/** Reads TEST_DATABASE_URL, TEST_NATS_URL and related variables. */
export function readTestEnvironment(): TestEnvironment {
  // eslint-disable-next-line no-restricted-properties -- switches of the tests, not configuration of the program
  const environment = process.env;
  return {
    databaseUrl: environment['TEST_DATABASE_URL'],
    natsUrl: environment['TEST_NATS_URL'],
    natsSource: environment['TEST_NATS_SOURCE'],
    runId: environment['TEST_RUN_ID'],
    stagesUrl: environment['TEST_STAGES_URL'],
    codeCache: environment['TEST_CODE_CACHE'],
    searchPath: environment['PATH'],
  };
}

/**
 * What a program that a test starts with an environment of its own needs of the run: its clock, and the cache from which linked
 * services start faster, as those of stages do, where the global setup made one.
 */
export function environmentOfRun(): Readonly<Record<string, string>> {
  const { codeCache } = readTestEnvironment();
  if (codeCache === undefined) return readClock();
  return { ...readClock(), NODE_OPTIONS: `--require ${JSON.stringify(codeCache)}` };
}
