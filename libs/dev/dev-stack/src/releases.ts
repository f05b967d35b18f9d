type Release = () => Promise<void> | void;

/** Releases of opened resources, run in reverse order, even if only some of them were opened. */
export interface Releases {
  /** Adds the release of what was just opened. */
  add(release: Release): void;
  /** Releases everything, last opened first; a failure does not prevent the others. Throws the failures at the end. */
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
      if (failures.length > 0) throw new AggregateError(failures, 'not everything could be released');
    },
  };
}
