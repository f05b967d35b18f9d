/** What the global set-up of the tests leaves to the test files. */
export interface TestEnvironment {
  /** Admin URL of the Postgres on which tests make their databases. */
  readonly databaseUrl?: string;
  readonly natsUrl?: string;
  /** Where NATS came from: `given`, `container`, `binary` or `embedded`. */
  readonly natsSource?: string;
  /** One for each run of the tests: template databases carry it in their names. */
  readonly runId?: string;
  /** Where the host of the shared stages listens. */
  readonly stagesUrl?: string;
  readonly searchPath?: string;
}

/** Reads TEST_DATABASE_URL, TEST_NATS_URL and what belongs to them. */
export function readTestEnvironment(): TestEnvironment {
  // eslint-disable-next-line no-restricted-properties -- switches of the tests, not configuration of the program
  const environment = process.env;
  return {
    databaseUrl: environment['TEST_DATABASE_URL'],
    natsUrl: environment['TEST_NATS_URL'],
    natsSource: environment['TEST_NATS_SOURCE'],
    runId: environment['TEST_RUN_ID'],
    stagesUrl: environment['TEST_STAGES_URL'],
    searchPath: environment['PATH'],
  };
}
