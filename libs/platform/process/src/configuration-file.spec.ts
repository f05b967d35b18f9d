import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MAX_CONFIGURATION_FILE_BYTES, readConfigurationFile } from './index';

const folder = mkdtempSync(path.join(tmpdir(), 'configuration-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fail = (reason: string) => new Error(`the file ${reason}`);
const read = (file: string) => readConfigurationFile(file, fail).toString();
const written = (name: string, content: string | Buffer) => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};

describe('a file of configuration', () => {
  it('is read as it is', () => {
    const content = `{"a":"${'ä'.repeat(100_000)}"}`;
    expect(read(written('as-it-is', content))).toBe(content);
    expect(read(written('empty', ''))).toBe('');
  });

  it('is read without its byte order mark, and only without the first', () => {
    expect(read(written('marked', '\uFEFF{}'))).toBe('{}');
    expect(read(written('marked-twice', '\uFEFF\uFEFF{}'))).toBe('\uFEFF{}');
    expect(read(written('not-marked', Buffer.from([0xef, 0xbb])))).toBe(Buffer.from([0xef, 0xbb]).toString());
  });

  it('that is missing, or a folder, is named with the reason', () => {
    expect(() => read(path.join(folder, 'missing'))).toThrow('the file cannot be read (ENOENT)');
    expect(() => read(folder)).toThrow('the file cannot be read (EISDIR)');
  });

  it('is read up to its limit and no further, however long it goes on', () => {
    const file = written('large', 'x');
    truncateSync(file, MAX_CONFIGURATION_FILE_BYTES);
    expect(readConfigurationFile(file, fail)).toHaveLength(MAX_CONFIGURATION_FILE_BYTES);
    truncateSync(file, MAX_CONFIGURATION_FILE_BYTES + 1);
    expect(() => read(file)).toThrow('the file has more than 16777216 bytes');
    expect(() => read('/dev/zero')).toThrow('the file has more than 16777216 bytes');
  });

  it('may come from a reader that remembers; what that throws is the cause', () => {
    const broken = Object.assign(new Error('no'), { code: 'EACCES' });
    const causes: unknown[] = [];
    const failing = (reason: string, cause: unknown) => {
      causes.push(cause);
      return fail(reason);
    };
    const reader = () => {
      throw broken;
    };
    expect(() => readConfigurationFile('any', failing, reader)).toThrow('the file cannot be read (EACCES)');
    expect(causes).toEqual([broken]);
  });
});
