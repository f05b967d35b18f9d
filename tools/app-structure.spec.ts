import { readFileSync } from 'node:fs';
import path from 'node:path';
import { importGraph, resolveImport } from './docs/import-graph';
import { filesBelow } from './docs/repository-files';
import {
  hiddenWiring,
  misnamedUseCases,
  portsNamedTwice,
  storeClasses,
  useCaseNeeds,
  type Sources,
} from './docs/use-case-rules';

const root = path.resolve(__dirname, '..');
const matching = (folder: string, accept: RegExp) => filesBelow(root, folder).filter((file) => accept.test(file));
const readAll = (files: readonly string[]): Sources =>
  new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
const isProductFile = (file: string) => !/spec\.ts$/.test(file) && !file.includes('/testing/');

describe('inside an app', () => {
  const MAX_NEEDS = 8;
  /** Files that may break these rules for now, and why: one that breaks none any more has to go from here. */
  const EXCEPTIONS: Readonly<Record<string, string>> = {};
  const LAYERS = ['domain', 'use-cases', 'adapters'];
  const apps = readAll(matching('apps', /\.ts$/).filter(isProductFile));
  const libraries = readAll(matching('libs', /\.ts$/).filter(isProductFile));

  function tooNeedy(sources: Sources): string[] {
    const files = new Set([...sources.keys(), ...libraries.keys()]);
    const resolve = (from: string, name: string) => resolveImport(from, name, files);
    const needs = useCaseNeeds(new Map([...libraries, ...sources]), resolve);
    return needs.flatMap(({ place, count }) => (count > MAX_NEEDS ? [`${place} needs ${count}`] : []));
  }
  /** `domain`, `use-cases`, … of an app, or a file right below `src`. */
  const partOf = (file: string) => file.split('/')[3] ?? '';
  /**
   * Domain, use cases, adapters, wiring: each knows only those before it. In the gateway all others stand on
   * `http` and `ask.ts`.
   */
  function rankOf(file: string): number {
    if (file.startsWith('apps/gateway/')) return ['http', 'ask.ts'].includes(partOf(file)) ? 0 : 1;
    return LAYERS.includes(partOf(file)) ? LAYERS.indexOf(partOf(file)) : LAYERS.length;
  }
  const backArrows = (sources: Sources) =>
    [...importGraph(sources)].flatMap(([file, targets]) => {
      const app = file.split('/', 3).join('/');
      const back = targets.filter((target) => target.startsWith(`${app}/`) && rankOf(target) > rankOf(file));
      return back.map((target) => `${file} -> ${target}`);
    });

  const RULES: Readonly<Record<string, (sources: Sources) => readonly string[]>> = {
    [`no use case and no step has more than ${MAX_NEEDS} needs`]: tooNeedy,
    'the function that a use case returns has its name': misnamedUseCases,
    'no wiring hides behind Pick & Pick or .bind': hiddenWiring,
    'a store is a function that returns its ports': storeClasses,
    'a port is named once, in domain/ports.ts': portsNamedTwice,
    'no arrow leads back': backArrows,
  };
  const fileOf = (finding: string) => /^[^ :]+/.exec(finding)?.[0] ?? '';

  const found = new Map<string, readonly string[]>();
  beforeAll(() => {
    for (const [rule, findings] of Object.entries(RULES)) found.set(rule, findings(apps));
  });

  it.each(Object.keys(RULES))('%s', (rule) => {
    expect(found.get(rule)?.filter((finding) => !Object.hasOwn(EXCEPTIONS, fileOf(finding)))).toEqual([]);
  });

  it('the exceptions are files that need to be excepted', () => {
    const breaking = new Set([...found.values()].flat().map(fileOf));
    expect(Object.keys(EXCEPTIONS).filter((file) => !breaking.has(file))).toEqual([]);
  });

  const A = 'apps/a/src';
  const ports = `export interface Things { readonly find: () => void; readonly keep: () => void; }`;
  const nine = [...'abcdefghi'].map((name) => `readonly ${name}: () => void;`).join(' ');
  const used = (members: string, more = '') => `${more} export interface OneDeps { ${members} }
    export function one(deps: OneDeps) { return function one() { return deps; }; }`;
  const sources = (files: Readonly<Record<string, string>>): Sources =>
    new Map(Object.entries(files).map(([file, text]) => [`${A}/${file}`, text]));
  const step = `export function two(deps: { readonly x: number }) { return function two() { return deps; }; }`;

  it.each<[string, Sources, readonly string[]]>([
    [
      `no use case and no step has more than 8 needs`,
      sources({ 'use-cases/one.ts': used(nine) }),
      [`${A}/use-cases/one.ts: one needs 9`],
    ],
    [
      `no use case and no step has more than 8 needs`,
      sources({
        'use-cases/one.ts': used(
          nine.replace('readonly i: () => void;', ''),
          "import type { Base } from './base';",
        ).replace('OneDeps {', 'OneDeps extends Pick<Base, "y"> {'),
        'use-cases/base.ts': 'export interface Base { readonly y: number; readonly z: number }',
      }),
      [`${A}/use-cases/one.ts: one needs 9`],
    ],
    [
      `no use case and no step has more than 8 needs`,
      sources({
        'domain/ports.ts': ports,
        'use-cases/one.ts': used(
          `readonly things: Things; ${nine.replaceAll(/readonly [hi][^;]*;/g, '')}`,
          "import type { Things } from '../domain/ports';",
        ),
      }),
      [`${A}/use-cases/one.ts: one needs 9`],
    ],
    [
      'the function that a use case returns has its name',
      sources({ 'use-cases/one.ts': 'export const one = (deps: { x: number }) => async () => deps;' }),
      [`${A}/use-cases/one.ts: one`],
    ],
    [
      'no wiring hides behind Pick & Pick or .bind',
      sources({ 'x.module.ts': "type X = Pick<A, 'a'> & Pick<B, 'b'>; export const y = store.find.bind(store);" }),
      [`${A}/x.module.ts: Pick & Pick`, `${A}/x.module.ts: .bind`],
    ],
    [
      'a store is a function that returns its ports',
      sources({ 'adapters/x.store.ts': 'export class X {}' }),
      [`${A}/adapters/x.store.ts`],
    ],
    [
      'a port is named once, in domain/ports.ts',
      sources({ 'domain/ports.ts': ports, 'use-cases/one.ts': used('readonly find: () => void;') }),
      [`${A}/use-cases/one.ts: find`],
    ],
    [
      'no arrow leads back',
      sources({
        'domain/x.ts': "import type { y } from '../use-cases/y';",
        'use-cases/y.ts': "import { z } from '../z';",
        'z.ts': '',
      }),
      [`${A}/domain/x.ts -> ${A}/use-cases/y.ts`, `${A}/use-cases/y.ts -> ${A}/z.ts`],
    ],
  ])('%s: a planted violation is found', (rule, planted, expected) => {
    expect(RULES[rule]?.(planted)).toEqual(expected);
  });

  it('what comes near breaks none of these rules', () => {
    const near = sources({
      'domain/ports.ts': ports,
      'use-cases/one.ts': used(
        `readonly find: Things['find']; readonly types: ReadonlyMap<string, string>; ${nine.replaceAll(/readonly [ghi][^;]*;/g, '')}`,
        "import type { Things } from '../domain/ports'; import { two } from './two'; export type Two = typeof two;",
      ),
      'use-cases/two.ts': `${step} export type One = Pick<A, 'a'> & B; const bind = (x: string) => x; bind('x');`,
      'adapters/x.store.ts': 'export function createXStore() { return {}; }',
      'adapters/x.fetcher.ts': "import type { Things } from '../domain/ports'; export class Fetcher {}",
      'x.module.ts': "import { one } from './use-cases/one'; import './adapters/x.fetcher';",
    });
    expect(Object.values(RULES).flatMap((findings) => findings(near))).toEqual([]);
  });
});
