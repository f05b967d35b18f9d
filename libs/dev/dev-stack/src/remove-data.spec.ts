import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lockFolder } from './folder-lock';
import { removeData } from './remove-data';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-data-'));
  mkdirSync(path.join(folder, 'config/types'), { recursive: true });
  writeFileSync(path.join(folder, 'stack.log'), 'x');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('21.7 removeData', () => {
  it('deletes what a stack has made, and its folder', () => {
    expect(removeData(folder)).toEqual([path.join(folder, 'config'), path.join(folder, 'stack.log')]);
    expect(existsSync(folder)).toBe(false);
    expect(removeData(folder)).toEqual([]);
  });

  it('leaves what somebody else has put there', () => {
    writeFileSync(path.join(folder, 'notes.txt'), 'x');
    removeData(folder);
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });

  it('deletes nothing while the stack runs', () => {
    const lock = lockFolder(folder);
    expect(() => removeData(folder)).toThrow('in use by process');
    lock.release();
    expect(readdirSync(folder)).toEqual(['config', 'stack.log']);
  });
});
