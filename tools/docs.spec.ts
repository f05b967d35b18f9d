import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { generatedPages, stalePages, type AppModules } from './docs';
import { CALLBACK_CODES } from './docs/callback-codes';
import { API_CODES, INFRASTRUCTURE_CODES, WALLET_CODES } from './docs/error-codes';
import { START_CODES } from './docs/start-codes';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const load = createRequire(__filename);
const moduleOf = (app: string, name: string) => load(path.join(root, 'apps', app, 'src', `${name}.ts`)) as object;

let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  pages = await generatedPages(root, {
    loadConfig: (app) => moduleOf(app, 'config') as never,
    ...(moduleOf('gateway', 'describe-apis') as Pick<AppModules, 'describeApis' | 'describePublicPaths'>),
    contracts: load(path.join(root, 'libs/platform/contracts/src/index.ts')) as AppModules['contracts'],
  });
});

const DEVELOPMENT = /^libs\/(demo-wallet|dev-pki|dev-stack|testkit)\//;

/** The product's sources as one text, without tests and development libraries. */
function productSource(): string {
  const files = ['apps', 'libs'].flatMap((top) => filesBelow(root, top));
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts') && !DEVELOPMENT.test(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');
}

const source = productSource();
const CODE = '([a-z]+(?:_[a-z0-9]+)+)';
const THROWN = [
  `\\bcode: '${CODE}'`,
  `new ProcessingFailure\\(\\s*'${CODE}'`,
  `\\bunavailable\\('${CODE}'`,
  `: Refusal = \\['[a-z_]+', '${CODE}'`,
  `\\[\\d{3}, \\['[a-z_]+', '${CODE}'`,
  `'${CODE}: [a-z]`,
].map((pattern) => new RegExp(pattern, 'g'));

function thrownCodes(): string[] {
  const found = THROWN.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code]) => code as string));
  return [...new Set(found)].sort();
}

describe('the generated pages', () => {
  it('are fresh: otherwise run "npm run docs"', () => {
    expect([...pages.keys()].filter((file) => existsSync(path.join(root, file)))).toEqual([...pages.keys()]);
    expect(stalePages(root, pages)).toEqual([]);
  });

  it('are recognised as stale when a variable or a code is missing', () => {
    const changed = new Map([...pages].map(([file, text]) => [file, text.replace(/^(?:\| `| {2}"| +user).*$/m, '')]));
    expect(stalePages(root, changed)).toEqual([...pages.keys()]);
  });

  it('are all API descriptions that there are', () => {
    const files = readdirSync(path.join(root, 'docs/openapi')).map((name) => `docs/openapi/${name}`);
    expect(files.filter((file) => !pages.has(file))).toEqual([]);
    expect([...pages.keys()]).toContain('docs/openapi/management.json');
  });
});

describe('the page of error codes', () => {
  const page = () => pages.get('docs/errors.md') as string;

  it('finds codes in the sources at all', () => {
    expect(thrownCodes()).toEqual(
      expect.arrayContaining(['idempotency_conflict', 'seal_broken', 'service_timeout', 'body_too_large']),
    );
  });

  it('names every code that a product source throws by itself', () => {
    expect(thrownCodes().filter((code) => !page().includes(`\`${code}\``))).toEqual([]);
  });

  it('invents none: each code of the tables kept beside it stands in a product source', () => {
    const kept = [API_CODES, WALLET_CODES, CALLBACK_CODES, INFRASTRUCTURE_CODES, START_CODES].flatMap(Object.keys);
    // Made from the kind of content: `${kind}_not_found`.
    const composed = ['credential_not_found', 'presentation_not_found'];
    expect(kept.filter((code) => !composed.includes(code) && !source.includes(code))).toEqual([]);
    expect(source).toContain('`${kind}_not_found`');
  });
});
