'use strict';
// usage: node tools/pack-web.cjs [folder]     (default: dist/web)
// Writes the package @vestibule/web into the folder, as ES modules that browsers load as they are.
const { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const root = path.resolve(__dirname, '..');
const source = path.join(root, 'libs/kit/web');

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.ES2022,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
  skipLibCheck: true,
  types: [],
};

/** Browsers need the names of files. */
const withEndings = (text) => text.replace(/(from\s+|import\s+)'(\.\/[a-z-]+)'/g, "$1'$2.js'");

function compile(folder) {
  const entries = ['index', 'define'].map((name) => path.join(source, 'src', `${name}.ts`));
  const program = ts.createProgram(entries, { ...OPTIONS, rootDir: path.join(source, 'src'), outDir: folder });
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (found.length > 0) throw new Error(ts.formatDiagnostics(found, ts.createCompilerHost(OPTIONS)));
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    writeFileSync(file, withEndings(readFileSync(file, 'utf8')));
  }
}

function pack(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(folder);
  const { version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { name, ...rest } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ name, version, license, ...rest }, null, 2)}\n`);
  copyFileSync(path.join(source, 'README.md'), path.join(folder, 'README.md'));
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
}

module.exports = { pack };

if (require.main === module) {
  const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist/web'));
  pack(folder);
  console.log(`written: ${folder}`);
}
