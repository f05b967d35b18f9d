import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
/** The only reader: bounded, without a byte order mark, with the reason of a failure. */
const READER = 'libs/platform/process/src/configuration-file.ts';
/** Reads files of a package, which no operator writes. */
const OF_PACKAGES = 'apps/gateway/src/backend/api-docs.controller.ts';
/** Reads what the program itself has kept, bounded; its callers verify it again. */
const OF_THE_PROGRAM = 'libs/platform/egress/src/kept-copy.ts';
const READS =
  /import [^;]*\b(?:readFile|readFileSync|createReadStream|open|openSync)\b[^;]*from '(?:node:)?fs(?:\/promises)?'|import \* as \w+ from '(?:node:)?fs/;

const readsFiles = (text: string) => READS.test(text);

describe('files that operators write', () => {
  it('are read by readConfigurationFile alone', () => {
    const files = ['apps', 'libs/core', 'libs/platform'].flatMap((top) => filesBelow(root, top));
    const product = files.filter((file) => file.endsWith('.ts') && !/spec\.ts$|\.stage\.ts$|\/testing\//.test(file));
    const readers = product.filter((file) => readsFiles(readFileSync(path.join(root, file), 'utf8')));
    expect(readers).toEqual([OF_PACKAGES, OF_THE_PROGRAM, READER]);
  });

  it.each([
    "import { readFileSync } from 'node:fs';",
    "import {\n  existsSync,\n  openSync,\n} from 'fs';",
    "import { readFile } from 'node:fs/promises';",
    "import * as fs from 'node:fs';",
  ])('would be found where they are read by %s', (text) => expect(readsFiles(text)).toBe(true));

  it.each([
    "import { readdirSync } from 'node:fs';",
    'readConfigurationFile(file, fail)',
    '// readFileSync',
    'readFiles()',
  ])('are not taken to be read by %s', (text) => expect(readsFiles(text)).toBe(false));
});
