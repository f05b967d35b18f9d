import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { generatedPages, stalePages, type AppModules } from './docs';

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

describe('the generated pages', () => {
  it('are fresh: otherwise run "npm run docs"', () => {
    expect([...pages.keys()].filter((file) => existsSync(path.join(root, file)))).toEqual([...pages.keys()]);
    expect(stalePages(root, pages)).toEqual([]);
  });

  it('are recognised as stale when a variable or a code is missing', () => {
    const changed = new Map(
      [...pages].map(([file, text]) => [file, text.replace(/^(?:\| `| {2,8}["']| +user| +- alert).*$/m, '')]),
    );
    expect(stalePages(root, changed)).toEqual([...pages.keys()]);
  });

  it('are all API descriptions that there are', () => {
    const files = readdirSync(path.join(root, 'docs/openapi')).map((name) => `docs/openapi/${name}`);
    expect(files.filter((file) => !pages.has(file))).toEqual([]);
    expect([...pages.keys()]).toContain('docs/openapi/management.json');
  });
});
