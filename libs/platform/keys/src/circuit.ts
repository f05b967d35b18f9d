/** Keeps callers away from a device that is away, so that an outage costs neither time nor sessions. */
export interface Circuit {
  /** False while the device is left alone. After that time one caller at a time finds out whether it is back. */
  mayTry(): boolean;
  isOpen(): boolean;
  succeeded(): void;
  failed(): void;
}

export interface CircuitOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly stopwatch: () => number;
  /** Called when the device is given up, and when it is back. */
  readonly onChange: (isAway: boolean) => void;
}

/** So many failed calls in a row, each with all its attempts. */
const FAILURES = 3;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** Opens after {@link FAILURES} failures in a row, for one second at first and twice as long each time, up to half a minute. */
export function createCircuit({ stopwatch, onChange }: CircuitOptions): Circuit {
  let failures = 0;
  let pause = FIRST_PAUSE;
  let isOpen = false;
  let closedUntil = 0;
  /** One caller is trying: the others do not wait for it. */
  let isTrying = false;

  return {
    isOpen: () => isOpen && (isTrying || stopwatch() < closedUntil),
    mayTry() {
      if (!isOpen) return true;
      if (isTrying || stopwatch() < closedUntil) return false;
      isTrying = true;
      return true;
    },
    succeeded() {
      failures = 0;
      pause = FIRST_PAUSE;
      isTrying = false;
      if (isOpen) onChange(false);
      isOpen = false;
    },
    failed() {
      // One that began before the device was given up says nothing new.
      if (isOpen && !isTrying) return;
      failures += 1;
      isTrying = false;
      if (failures < FAILURES) return;
      closedUntil = stopwatch() + pause;
      pause = Math.min(pause * 2, LONGEST_PAUSE);
      if (!isOpen) onChange(true);
      isOpen = true;
    },
  };
}
