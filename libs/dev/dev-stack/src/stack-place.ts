import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lockFolder, type FolderLock } from './folder-lock';
import { StackFailure } from './stack-failure';
import { ensureOwnFolder } from './temp-folder';

interface PlaceChoice {
  /** Kept between runs; by default everything is deleted at the end. */
  readonly dataFolder?: string;
  readonly logFile?: string;
}

type OnLog = (label: string, line: string) => void;

/** Where a stack keeps its data. */
export interface Place {
  readonly folder: string;
  readonly kept: boolean;
  readonly logFile: string;
  /** The log of the run before is kept beside it. */
  readonly keepsPreviousLog: boolean;
  readonly lock: FolderLock | undefined;
}

/** A kept folder is locked before anything in it is touched: another start must not change what this one uses. */
export function openPlace(options: PlaceChoice): Place {
  const kept = options.dataFolder !== undefined;
  const folder = path.resolve(options.dataFolder ?? mkdtempSync(path.join(tmpdir(), 'vestibule-stack-')));
  if (kept) ensureOwnFolder(folder);
  const lock = kept ? lockFolder(folder) : undefined;
  const logFile = path.resolve(options.logFile ?? path.join(folder, 'stack.log'));
  return { folder, kept, logFile, keepsPreviousLog: options.logFile === undefined, lock };
}

/** The previous log is kept; called when nothing speaks against a start any more. */
export function openLog({ logFile, keepsPreviousLog }: Place): void {
  mkdirSync(path.dirname(logFile), { recursive: true });
  if (keepsPreviousLog && existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
  writeFileSync(logFile, '', { flag: 'a', mode: 0o600 });
}

/**
 * Appends every line to the file; servers may log a last line when its folder is already deleted. A full disk must not
 * end the stack: the log stops there, which is told once.
 */
export function logTo(file: string, onLog?: OnLog): OnLog {
  let isBroken = false;
  return (label, line) => {
    try {
      if (!isBroken && existsSync(file)) appendFileSync(file, `${label} | ${line}\n`);
    } catch (error) {
      isBroken = true;
      onLog?.('stack', `${file} ends here: ${error instanceof Error ? error.message : String(error)}`);
    }
    onLog?.(label, line);
  };
}

/** Settings of types are read beside the types alone: elsewhere they would be without effect, and nobody would know. */
export function requireRightPlaces({ folder }: Place): void {
  const types = path.join(folder, 'config/types');
  for (const wrong of [folder, path.join(folder, 'config')]) {
    const file = path.join(wrong, 'issuance.json');
    if (existsSync(file)) throw new StackFailure('misplaced_file', `${file} is not read there: move it to ${types}`);
  }
}

/** What a full disk, or a quota that is used up, means for a start. */
export function diskFault(error: unknown, { folder }: Place): StackFailure | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return new StackFailure('disk_full', `there is no space left for ${folder}: free some, or set DATA_FOLDER`, error);
}
