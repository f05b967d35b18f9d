/** How {@link until} waits. */
export interface Waiting {
  /** Between two looks; more where a look costs somebody else something. */
  readonly everyMilliseconds?: number;
}

/** Waits until a condition holds, looking every few milliseconds; throws after `seconds`, which only end what hangs. */
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
