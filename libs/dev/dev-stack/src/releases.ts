type Release = () => Promise<void> | void;

/** What was opened, to be given back in reverse order, also when only a part of it was opened. */
export interface Releases {
  /** Says how to give back what was just opened. */
  add(release: Release): void;
  /** Gives everything back, last opened first; one that fails does not keep the others. Throws what failed at the end. */
  run(): Promise<void>;
}

export function createReleases(): Releases {
  const releases: Release[] = [];
  return {
    add: (release) => void releases.push(release),
    async run() {
      const failures: unknown[] = [];
      for (const release of releases.splice(0).reverse()) {
        try {
          await release();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'not everything could be given back');
    },
  };
}
