'use strict';
// usage: node tools/pack-client.cjs [folder]     (default: dist/client)
// Writes the package @vestibule/client into the folder, ready for `npm pack` or `npm publish`: CommonJS with types, and an ES
// module that exports the same objects, so that `instanceof` works however the package was loaded.
const { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const root = path.resolve(__dirname, '..');
const source = path.join(root, 'libs/kit/client');

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [path.join(root, 'node_modules/@types')],
};

function compile(folder) {
  const entry = path.join(source, 'src/index.ts');
  const program = ts.createProgram([entry], { ...OPTIONS, rootDir: path.join(source, 'src'), outDir: folder });
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (found.length > 0) throw new Error(ts.formatDiagnostics(found, ts.createCompilerHost(OPTIONS)));
}

/** `export *` would not do: Node.js finds the names of a CommonJS module by its text alone. */
function writeModule(folder) {
  const names = Object.keys(require(path.join(folder, 'index.js'))).sort();
  const lines = ["import client from './index.js';", '', `export const { ${names.join(', ')} } = client;`, ''];
  writeFileSync(path.join(folder, 'index.mjs'), lines.join('\n'));
  writeFileSync(path.join(folder, 'index.d.mts'), "export * from './index.js';\n");
}

function writeManifest(folder) {
  const { version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { name, ...rest } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
  const manifest = { name, version, license, ...rest };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function pack(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(folder);
  writeManifest(folder);
  writeModule(folder);
  copyFileSync(path.join(source, 'README.md'), path.join(folder, 'README.md'));
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
}

const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist/client'));
pack(folder);
console.log(`written: ${folder}`);
