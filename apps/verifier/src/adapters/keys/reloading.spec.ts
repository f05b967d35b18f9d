import { utimesSync } from 'node:fs';
import { createFolder, createMemoryLogger, type Folder } from '../../testing/key-files.fixture-spec';
import { createReloading, type FileReader } from '@vestibule/keys';

let files: Folder;
beforeEach(() => {
  files = createFolder();
});
afterEach(() => files.remove());

/** Text of a file, and of the file that it names, if it names one. */
function open(load?: (reader: FileReader) => string) {
  const logger = createMemoryLogger();
  let loads = 0;
  const reloading = createReloading({
    what: 'a text',
    logger,
    load(reader) {
      loads += 1;
      if (load) return load(reader);
      const text = reader.read(files.fileOf('a')).toString();
      return text.startsWith('file:') ? reader.read(files.fileOf(text.slice(5))).toString() : text;
    },
  });
  return { ...reloading, logger, loads: () => loads };
}

describe('configuration that follows its files', () => {
  it('VP:A9 loads nothing again while nothing changed', () => {
    files.write('a', 'one');
    const { refresh, loads, logger } = open();
    void refresh();
    expect([loads(), logger.lines]).toEqual([1, []]);
  });

  it('VP:A9 loads a file that changed, also one that is as long as before, and says so', () => {
    files.write('a', 'one');
    const { current, refresh, logger } = open();
    files.delete('a');
    files.write('a', 'two');
    expect(current()).toBe('one');
    void refresh();
    expect(current()).toBe('two');
    expect(logger.levels()).toEqual(['info']);
  });

  it('VP:A9 loads a file that changed within one tick of the file system, in place and as long as before', () => {
    const file = files.write('a', 'one');
    // A whole second, which survives being written back.
    utimesSync(file, 1_000, 1_000);
    const { current, refresh } = open();
    files.write('a', 'two');
    utimesSync(file, 1_000, 1_000);
    void refresh();
    expect(current()).toBe('two');
  });

  it('VP:A9 loads what a named file says when that changed', () => {
    files.write('a', 'file:b');
    files.write('b', 'one');
    const { current, refresh } = open();
    files.write('b', 'changed');
    void refresh();
    expect(current()).toBe('changed');
  });

  it('VP:A9 keeps the former version while the new one is broken, says which fault once, and recovers', () => {
    files.write('a', 'one');
    const { current, refresh, loads, logger } = open();
    files.write('a', 'file:missing');
    void refresh();
    void refresh();
    expect([current(), logger.levels()]).toEqual(['one', ['error']]);
    expect(logger.lines[0]?.fields).toEqual({ what: 'a text', error: expect.objectContaining({ code: 'ENOENT' }) });
    files.write('missing', 'there');
    void refresh();
    expect([current(), logger.levels()]).toEqual(['there', ['error', 'info']]);
    const count = loads();
    void refresh();
    expect(loads()).toBe(count);
  });

  it('VP:A4 loads what was not valid yet when it is, without another change of its file', () => {
    files.write('a', 'one');
    let isTime = false;
    const { current, refresh, logger } = open((reader) => {
      const text = reader.read(files.fileOf('a')).toString();
      if (text === 'later' && !isTime) throw new RangeError('not yet');
      return text;
    });
    files.write('a', 'later');
    void refresh();
    void refresh();
    expect([current(), logger.levels()]).toEqual(['one', ['error']]);
    isTime = true;
    void refresh();
    expect([current(), logger.levels()]).toEqual(['later', ['error', 'info']]);
  });

  it('VP:A9 keeps the former version when a file goes', () => {
    files.write('a', 'one');
    const { current, refresh, logger } = open();
    files.delete('a');
    void refresh();
    expect([current(), logger.levels()]).toEqual(['one', ['error']]);
  });

  it('VP:A7 sees files that come to a folder and go', () => {
    const { current, refresh } = open((reader) => reader.list(files.folder).join());
    files.write('b', '');
    files.write('a', '');
    void refresh();
    expect(current()).toBe('a,b');
    files.delete('b');
    void refresh();
    expect(current()).toBe('a');
  });

  it('VP:A9 sees a change that happened while it read', () => {
    files.write('a', 'one');
    let changed = false;
    const { current, refresh } = open((reader) => {
      const text = reader.read(files.fileOf('a')).toString();
      if (!changed) files.write('a', 'changed');
      changed = true;
      return text;
    });
    expect(current()).toBe('one');
    void refresh();
    expect(current()).toBe('changed');
  });

  it('VP:A9 does not begin with something broken', () => {
    expect(() => open()).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
