'use strict';
// Compiles TypeScript to CommonJS below dist/, one output file per source file, same folder layout. Then links each service
// into one file, dist/apps/<app>/main.js (link.cjs).
// usage: node tools/build.cjs [folder ...]     (default: apps libs tools examples)
const {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const path = require('node:path');
const { transformSync } = require('@swc/core');
const { link, programOf, SERVICES } = require('./link.cjs');
const { swcOptions, workspaceRoot } = require('./swc-options.cjs');

const DEFAULT_FOLDERS = ['apps', 'libs', 'tools', 'examples'];
/** Tests, their fixtures and their stages are not part of the program. */
const isSource = (name) => name.endsWith('.ts') && !/(?:[.-]spec|\.stage|\.d)\.ts$/.test(name);

function* filesBelow(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // Tests of lint plant files, and take them away while a build runs beside them.
    if (['node_modules', 'dist', 'testing', 'planted-violations'].includes(entry.name)) continue;
    const full = path.join(folder, entry.name);
    // A package with a lock file of its own builds itself.
    if (entry.isDirectory() && existsSync(path.join(full, 'package-lock.json'))) continue;
    if (entry.isDirectory()) yield* filesBelow(full);
    else yield full;
  }
}

const targetOf = (file) => path.join(workspaceRoot, 'dist', path.relative(workspaceRoot, file).replace(/\.ts$/, '.js'));

/** Files are written in one step, so that a program that starts during a build never reads a partial one. */
function writeWhole(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const partial = `${file}.${process.pid}.partial`;
  writeFileSync(partial, text);
  renameSync(partial, file);
}

/**
 * The compiler exports by getters, and `export *` by getters of getters: each call between files passes up to three of
 * them. When a file has run, its exports are final (no `export let`, no circular imports: tools/structure.spec.ts), so
 * their values replace them.
 */
const FINAL_EXPORTS = `
module.exports = Object.defineProperty({ ...exports }, '__esModule', { value: true });
`;

/** What a source file becomes at `target`, and its source map. */
function compiled(file, target) {
  // Relative, so that a build in another folder gives the same bytes.
  const sourceFileName = path.relative(path.dirname(target), file);
  const { code, map } = transformSync(readFileSync(file, 'utf8'), { ...swcOptions(file), sourceFileName });
  return { code: `${code}\n${FINAL_EXPORTS}\n//# sourceMappingURL=${path.basename(target)}.map\n`, map };
}

function compile(file, target) {
  const { code, map } = compiled(file, target);
  mkdirSync(path.dirname(target), { recursive: true });
  writeWhole(`${target}.map`, map);
  writeWhole(target, code);
}

const APP_MAIN = /^apps\/([^/]+)\/src\/main\.js$/;

/** The apps of which these are the compiled files. */
const appsOf = (targets) =>
  [...targets].flatMap((target) => {
    const [, app] =
      APP_MAIN.exec(path.relative(path.join(workspaceRoot, 'dist'), target).split(path.sep).join('/')) ?? [];
    return app === undefined ? [] : [app];
  });

/**
 * An app starts with `node dist/apps/<app>/main.js`: a service linked into this file, any other from its separate files. The
 * one of `cli` is the command `vestibule`.
 */
function writeEntryPoints(apps) {
  for (const app of apps) {
    const entryPoint = path.join(workspaceRoot, programOf(app));
    if (!SERVICES.includes(app))
      writeWhole(entryPoint, "#!/usr/bin/env node\n'use strict';\nrequire('./src/main.js');\n");
  }
  link(apps, writeWhole);
  for (const app of apps) chmodSync(path.join(workspaceRoot, programOf(app)), 0o755);
}

/** Removes the output of sources that no longer exist. */
function removeStale(folder, targets) {
  for (const file of filesBelow(path.join(workspaceRoot, 'dist', folder))) {
    const isOutput = /\.js(\.map)?$/.test(file);
    if (isOutput && !targets.has(file.replace(/\.map$/, ''))) rmSync(file, { force: true });
  }
}

/** Compiles the folders (relative to the workspace). Several builds may run at the same time. */
function build(folders = DEFAULT_FOLDERS) {
  const started = performance.now();
  const apps = [];
  let count = 0;
  for (const folder of folders) {
    const targets = new Set();
    for (const file of filesBelow(path.join(workspaceRoot, folder))) {
      if (!isSource(file)) continue;
      const target = targetOf(file);
      compile(file, target);
      targets.add(target);
    }
    const found = appsOf(targets);
    for (const app of found) targets.add(path.join(workspaceRoot, programOf(app)));
    apps.push(...found);
    count += targets.size;
    removeStale(folder, targets);
  }
  // When everything is compiled.
  writeEntryPoints(apps);
  return { count, milliseconds: Math.round(performance.now() - started) };
}

module.exports = { build, compiled };

if (require.main === module) {
  const folders = process.argv.slice(2).map((folder) => path.relative(workspaceRoot, path.resolve(folder)));
  const { count, milliseconds } = build(folders.length > 0 ? folders : DEFAULT_FOLDERS);
  console.log(`built ${count} files in ${milliseconds} ms`);
}
