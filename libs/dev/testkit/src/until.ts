/** How {@link until} waits. */
export interface Waiting {
  /** Between two checks; set it higher if a check burdens something else. */
  readonly everyMilliseconds?: number;
}

/**
 * Waits until a condition holds, checking every few milliseconds; throws after `seconds`, a limit that only ends
 * hanging tests.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  seconds = 60,
  { everyMilliseconds = 10 }: Waiting = {},
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`the condition did not come true within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, everyMilliseconds));
  }
}
