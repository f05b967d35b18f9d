/** Records the duration of each step of the flows. */
export class StepClock {
  readonly #steps = new Map<string, number[]>();

  /** Runs a step; its time counts when it resolves. */
  async time<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const result = await work();
    this.add(step, performance.now() - started);
    return result;
  }

  add(step: string, milliseconds: number): void {
    const known = this.#steps.get(step);
    // Hundredths are precise enough, and short to send.
    const rounded = Math.round(milliseconds * 100) / 100;
    if (known) known.push(rounded);
    else this.#steps.set(step, [rounded]);
  }

  /** Milliseconds by step, in the order of their first occurrence. */
  read(): Readonly<Record<string, readonly number[]>> {
    return Object.fromEntries(this.#steps);
  }
}
