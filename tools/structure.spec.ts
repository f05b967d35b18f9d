import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readArrows } from './docs/architecture-page';
import { findCircles, importGraph } from './docs/import-graph';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const MAX_LINES = 300;
const GENERATED = ['docs/configuration.md', 'docs/errors.md', 'docs/spec-map.md', 'docs/contract-map.md'];
const GENERATED_FOLDER = 'libs/kit/client/src/generated/';
/** Only grows: what a release changed is not taken back. */
const CHANGELOG = 'CHANGELOG.md';

const matching = (folder: string, accept: RegExp) => filesBelow(root, folder).filter((file) => accept.test(file));

describe('imports', () => {
  const code = ['apps', 'libs', 'tools', 'e2e', 'examples'].flatMap((top) => matching(top, /\.ts$/));
  const graph = importGraph(new Map(code.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])));

  it('are followed, by alias and by path', () => {
    expect(graph.get('apps/verifier/src/use-cases/submit-presentation.ts')).toEqual(
      expect.arrayContaining(['libs/core/oid4vp/src/index.ts', 'apps/verifier/src/use-cases/judge-response.ts']),
    );
  });

  it('lead in no circle, not even for types', () => {
    expect(findCircles(graph)).toEqual([]);
  });

  it('in a circle are found', () => {
    const sources = new Map([
      ['libs/a/src/one.ts', "import { two } from './two';"],
      ['libs/a/src/two.ts', "export * from './three';"],
      ['libs/a/src/three.ts', "import type { one } from './one';"],
    ]);
    expect(findCircles(importGraph(sources))).toEqual([
      'libs/a/src/one.ts -> libs/a/src/two.ts -> libs/a/src/three.ts -> libs/a/src/one.ts',
    ]);
  });
});

describe('the arrows between projects', () => {
  /** `libs/core/dcql/src/x.ts` belongs to `dcql`, `apps/verifier/src/x.ts` to `verifier`. */
  const projectOf = (file: string) => /^(?:apps|libs\/[^/]+)\/([^/]+)\//.exec(file)?.[1] as string;
  const isProduct = (file: string) => !/spec\.ts$/.test(file);

  function realArrows(): ReadonlyMap<string, ReadonlySet<string>> {
    const files = ['apps', 'libs'].flatMap((top) => matching(top, /\.ts$/)).filter(isProduct);
    const graph = importGraph(new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])));
    const arrows = new Map<string, Set<string>>();
    for (const [file, targets] of graph) {
      const from = projectOf(file);
      const known = arrows.get(from) ?? new Set();
      for (const target of targets.map(projectOf)) if (target !== from) known.add(target);
      arrows.set(from, known);
    }
    return arrows;
  }

  it('are those of tools/arrows.json: none is missing, and none that no code uses is allowed', () => {
    const real = realArrows();
    const listed = Object.values(readArrows(root)).flatMap((projects) => Object.entries(projects));
    expect(Object.fromEntries(listed.map(([name, below]) => [name, [...below].sort()]))).toEqual(
      Object.fromEntries([...real].map(([name, below]) => [name, [...below].sort()])),
    );
  });

  it('point downwards: a project imports only what is listed above it', () => {
    const order = Object.values(readArrows(root)).flatMap((projects) => Object.keys(projects));
    const upwards = Object.values(readArrows(root))
      .flatMap((projects) => Object.entries(projects))
      .flatMap(([name, below]) =>
        below.filter((target) => order.indexOf(target) >= order.indexOf(name)).map((target) => `${name} -> ${target}`),
      );
    expect(upwards).toEqual([]);
  });
});

describe('files', () => {
  it(`have at most ${MAX_LINES} lines, unless they are generated`, () => {
    const folders = ['apps', 'libs', 'e2e', 'tools', 'docs', 'deploy', '.ci'];
    const files = folders.flatMap((folder) => matching(folder, /\.(ts|cjs|mjs|md|sh|conf)$|\.ci\/\w+$|Dockerfile$/));
    const top = readdirSync(root).filter((file) =>
      /\.(md|mjs|cjs|yml)$|^(nx|package|tsconfig\.base)\.json$/.test(file),
    );
    const long = [...files, ...top]
      .filter((file) => ![...GENERATED, CHANGELOG].includes(file) && !file.startsWith(GENERATED_FOLDER))
      .map((file) => [file, readFileSync(path.join(root, file), 'utf8').split('\n').length - 1] as const)
      .filter(([, lines]) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });
});
