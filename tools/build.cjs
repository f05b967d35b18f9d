'use strict';
// Compiles TypeScript to CommonJS below dist/, one output file per source file, same folder layout.
// usage: node tools/build.cjs [folder ...]     (default: apps libs tools)
const { mkdirSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { transformFileSync } = require('@swc/core');
const { swcOptions, workspaceRoot } = require('./swc-options.cjs');

const isSource = (name) => name.endsWith('.ts') && !/\.(spec|int-spec|e2e-spec|fuzz-spec|d)\.ts$/.test(name);

function* sourceFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(full);
    else if (isSource(entry.name)) yield full;
  }
}

function compile(file) {
  const relative = path.relative(workspaceRoot, file).replace(/\.ts$/, '.js');
  const target = path.join(workspaceRoot, 'dist', relative);
  const { code, map } = transformFileSync(file, swcOptions(file));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
  writeFileSync(`${target}.map`, map);
}

function build(folders) {
  const started = performance.now();
  let count = 0;
  for (const folder of folders) {
    rmSync(path.join(workspaceRoot, 'dist', folder), { recursive: true, force: true });
    for (const file of sourceFiles(path.join(workspaceRoot, folder))) {
      compile(file);
      count += 1;
    }
  }
  return { count, milliseconds: Math.round(performance.now() - started) };
}

module.exports = { build };

if (require.main === module) {
  const folders = process.argv.slice(2);
  const { count, milliseconds } = build(folders.length > 0 ? folders : ['apps', 'libs', 'tools']);
  console.log(`built ${count} files in ${milliseconds} ms`);
}
