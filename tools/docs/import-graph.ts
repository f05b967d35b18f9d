import { readFileSync } from 'node:fs';
import path from 'node:path';
import { preProcessFile } from 'typescript';

const { compilerOptions } = JSON.parse(readFileSync(path.resolve(__dirname, '../../tsconfig.base.json'), 'utf8')) as {
  compilerOptions: { paths: Readonly<Record<string, readonly [string]>> };
};

/** The file of an import from this repository, or undefined for a package. */
export function resolveImport(from: string, name: string, files: ReadonlySet<string>): string | undefined {
  const alias = compilerOptions.paths[name]?.[0].replace(/^\.\//, '');
  if (alias !== undefined) return alias;
  if (!name.startsWith('.')) return undefined;
  const base = path.posix.join(path.posix.dirname(from), name);
  return [`${base}.ts`, `${base}/index.ts`].find((candidate) => files.has(candidate));
}

export type Graph = ReadonlyMap<string, readonly string[]>;

/** Which file imports which, by alias and by path, including types; packages are left out. */
export function importGraph(sources: ReadonlyMap<string, string>): Graph {
  const files = new Set(sources.keys());
  return new Map(
    [...sources].map(([file, text]) => {
      const names = preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
      return [file, names.flatMap((name) => resolveImport(file, name, files) ?? [])];
    }),
  );
}

/** One cycle for each import that leads back; empty for an acyclic graph. */
export function findCircles(graph: Graph): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, above: readonly string[]): void => {
    const at = above.indexOf(file);
    if (at !== -1) circles.push([...above.slice(at), file].join(' -> '));
    if (at !== -1 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...above, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}
