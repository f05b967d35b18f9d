import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LOCK_FILE, lockFolder } from './folder-lock';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => path.join(folder, LOCK_FILE);

describe('21.7 the lock of a data folder', () => {
  it('is held by one alone, until it is released', () => {
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(expect.objectContaining({ code: 'data_folder_in_use' }) as Error);
    expect(() => lockFolder(folder)).toThrow(`process ${process.pid}`);
    lock.release();
    lockFolder(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of a process that has ended is taken over', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(file(), `${pid} 12345\n`);
    const lock = lockFolder(folder);
    expect(readFileSync(file(), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    expect(readdirSync(folder)).toEqual([LOCK_FILE]);
    lock.release();
  });

  it('of another process that had the same id is taken over', () => {
    const isKnown = existsSync('/proc/self/stat');
    writeFileSync(file(), `${process.pid} 1\n`);
    const lock = () => lockFolder(folder);
    if (isKnown) lock().release();
    else expect(lock).toThrow('in use');
  });

  it.each(['', 'x', '1', '-1 1\n', '99999999999999999999 1\n'])('that nobody wrote is taken over: %j', (text) => {
    writeFileSync(file(), text);
    lockFolder(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
