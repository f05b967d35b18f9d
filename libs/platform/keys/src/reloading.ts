import type { Logger, Metrics } from '@vestibule/process';
import { trackFiles, type FileReader } from './tracked-files';

export interface ReloadingOptions<Value> {
  /** What is loaded, for the log. */
  readonly what: string;
  /** Reads everything through the given reader; throws if the result is not usable. */
  readonly load: (files: FileReader) => Value;
  /** Checks what was loaded and needs to ask a device for that, before it takes effect; throws if it is not usable. */
  readonly check?: (value: Value) => Promise<void>;
  readonly logger: Logger;
  /** Is told whether the files as they are now can be used. */
  readonly status?: ReloadStatus | undefined;
}

/** Which configuration cannot follow its files, because they cannot be used. */
export interface ReloadStatus {
  note(what: string, isBroken: boolean): void;
}

/** Shows it as a gauge: 1 for what still works with a previous version, else 0. */
export function createReloadStatus(metrics: Pick<Metrics, 'gauges'>): ReloadStatus {
  const known = new Map<string, number>();
  const help = 'Changed files that cannot be used: 1 while the previous version stays in effect';
  metrics.gauges('changed_files_unusable', help, 'what', () => [...known]);
  return { note: (what, isBroken) => void known.set(what, isBroken ? 1 : 0) };
}

/** Configuration that follows its files. */
export interface Reloading<Value> {
  /** The last usable version. */
  current(): Value;
  /**
   * Loads again if a file has changed. An unusable version is logged once, and the previous one stays in effect. It is
   * tried again each time, because what is not yet valid becomes valid without a change.
   */
  refresh(): Promise<void>;
}

/**
 * Loads immediately, and throws if that fails: only a later unusable change is tolerated. The first value is not checked.
 */
export function createReloading<Value>({
  what,
  load,
  check,
  logger,
  status,
}: ReloadingOptions<Value>): Reloading<Value> {
  let files = trackFiles();
  let value = load(files);
  let isBroken = false;
  status?.note(what, isBroken);
  return {
    current: () => value,
    async refresh() {
      const isChanged = files.hasChanged();
      if (!isChanged && !isBroken) return;
      files = trackFiles();
      try {
        const next = load(files);
        if (check) await check(next);
        value = next;
        isBroken = false;
        logger.info('changed files were loaded', { what });
      } catch (error) {
        isBroken = true;
        if (isChanged)
          logger.error('changed files cannot be used; the previous version stays in effect', { what, error });
      }
      status?.note(what, isBroken);
    },
  };
}
