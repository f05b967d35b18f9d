import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AppProcess } from '@vestibule/dev-stack';

type Environment = Readonly<Record<string, string | undefined>>;

/** The clock of one process. */
export interface ReplicaClock {
  readonly label: string;
  /** Its time is so many seconds ahead from about a second from now on. */
  setAhead(seconds: number): void;
}

/** Where packages put libfaketime for programs with threads. */
const FOLDERS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib'];

/** The path of libfaketime, by which programs get another clock: `FAKETIME_LIBRARY`, or where packages put it. */
export function findClockLibrary({ FAKETIME_LIBRARY: named }: Environment): string | undefined {
  const files = FOLDERS.map((folder) => path.join(folder, 'faketime/libfaketimeMT.so.1'));
  return [...(named === undefined ? [] : [named]), ...files].find((file) => existsSync(file));
}

/** What a run says that is to set clocks, and cannot. */
export const CLOCKS_LEFT_OUT =
  'NOT RUN: steps of a clock, because there is no libfaketime: install it, or name its file in FAKETIME_LIBRARY.';

/** Restarts a process with a clock of its own, which is right at first. */
export async function giveClock(process: AppProcess, library: string, folder: string): Promise<ReplicaClock> {
  const file = path.join(folder, `clock-of-${process.label}`);
  const setAhead = (seconds: number) => writeFileSync(file, `+${seconds}\n`);
  setAhead(0);
  process.configure({
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  });
  await process.stop();
  process.launch();
  return { label: process.label, setAhead };
}
