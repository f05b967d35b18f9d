import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AppProcess } from '@vestibule/dev-stack';

/** The clock of one process. */
export interface ReplicaClock {
  readonly label: string;
  /** Its time is so many seconds ahead from about a second from now on. */
  setAhead(seconds: number): void;
}

/** Where packages put libfaketime for programs with threads. */
const FOLDERS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib'];

/** The path of libfaketime, by which programs get another clock; undefined where it is not installed. */
export function findClockLibrary(): string | undefined {
  return FOLDERS.map((folder) => path.join(folder, 'faketime/libfaketimeMT.so.1')).find((file) => existsSync(file));
}

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
