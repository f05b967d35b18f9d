/** What libfaketime is told by. Its clock holds for the processes that have all of it (`.ci/full`). */
const NAMES = ['LD_PRELOAD', 'FAKETIME', 'NO_FAKE_STAT', 'FAKETIME_DONT_FAKE_MONOTONIC'] as const;

/**
 * The variables by which this process runs under another clock, for the programs that it starts with an environment of
 * their own: all of a stack must have the same time. Empty in the usual case.
 */
export function readClock(
  // eslint-disable-next-line no-restricted-properties -- a run, not a service, has this clock
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  if (environment['FAKETIME'] === undefined) return {};
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * {@link readClock} for a shell. Its programs share what libfaketime made for this process: without that they compete for making
 * it themselves, and some end. Only for programs of the same user, for no other may open it.
 */
export function readShellClock(
  // eslint-disable-next-line no-restricted-properties -- a run, not a service, has this clock
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const { FAKETIME_SHARED: shared } = environment;
  const clock = readClock(environment);
  return shared === undefined || clock['FAKETIME'] === undefined ? clock : { ...clock, FAKETIME_SHARED: shared };
}
