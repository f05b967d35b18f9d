import type { Logger } from '@vestibule/process';
import { trackFiles, type FileReader } from './tracked-files';

export interface ReloadingOptions<Value> {
  /** What it is, for the log. */
  readonly what: string;
  /** Reads all of it through the given reader; throws where it is not usable. */
  readonly load: (files: FileReader) => Value;
  readonly logger: Logger;
}

/** Configuration that follows its files. */
export interface Reloading<Value> {
  /** The last version that was usable. */
  current(): Value;
  /**
   * Loads again when a file changed. A version that is not usable is logged once, and the former one stays; it is tried
   * again each time, for what is not valid yet becomes so without a change.
   */
  refresh(): void;
}

/** Loads at once, and throws where that fails: only a change of something usable is forgiven. */
export function createReloading<Value>({ what, load, logger }: ReloadingOptions<Value>): Reloading<Value> {
  let files = trackFiles();
  let value = load(files);
  let isBroken = false;
  return {
    current: () => value,
    refresh() {
      const isChanged = files.hasChanged();
      if (!isChanged && !isBroken) return;
      files = trackFiles();
      try {
        value = load(files);
        isBroken = false;
        logger.info('changed files were loaded', { what });
      } catch (error) {
        isBroken = true;
        if (isChanged) logger.error('changed files cannot be used, the former version stays', { what, error });
      }
    },
  };
}
