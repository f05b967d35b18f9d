import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compiled } from './build.cjs';

const SOURCES = {
  'parse.ts': 'export const LIMIT = 3;\nexport function parse() { return LIMIT; }\nexport class Parsed {}\n',
  'index.ts': "export * from './parse';\nexport { parse as again } from './parse';\nexport default 1;\n",
  'nothing.ts': 'export {};\n',
};

describe('a compiled file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-build-'));
  const load = (name: string) => createRequire(__filename)(path.join(folder, name)) as Record<string, unknown>;

  beforeAll(() => {
    for (const [name, source] of Object.entries(SOURCES)) {
      const file = path.join(folder, name);
      writeFileSync(file, source);
      const target = file.replace(/\.ts$/, '.js');
      writeFileSync(target, compiled(file, target).code);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('exports values, not getters, however often they are passed on', () => {
    for (const name of ['parse.js', 'index.js']) {
      const descriptors = Object.values(Object.getOwnPropertyDescriptors(load(name)));
      expect(descriptors.filter(({ get }) => get !== undefined)).toEqual([]);
    }
    const { parse, again, LIMIT, Parsed } = load('index.js') as Record<string, () => unknown> & { LIMIT: number };
    expect([LIMIT, parse?.(), again, Parsed?.name]).toEqual([3, 3, parse, 'Parsed']);
  });

  it('is known as a compiled module, and ends with its source map', () => {
    expect(load('index.js')).toMatchObject({ __esModule: true, default: 1 });
    expect(Object.keys(load('parse.js')).sort()).toEqual(['LIMIT', 'Parsed', 'parse']);
    expect(Object.keys(load('nothing.js'))).toEqual([]);
    const { code } = compiled(path.join(folder, 'parse.ts'), path.join(folder, 'parse.js'));
    expect(code.trimEnd().split('\n').at(-1)).toBe('//# sourceMappingURL=parse.js.map');
  });
});
