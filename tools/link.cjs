'use strict';
// Links a compiled service into one file: dist/apps/<app>/main.js then holds every file of ours and of packages that the
// service may load, each as a function of its own, in the order of their names. Nothing is renamed, left out or put together,
// so that classes, functions and cycles are what they are in separate files; Node.js only has to find and read one. What a
// package looks for and does not find here (an optional package, a native addon) is looked up as Node.js would.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } = require('node:fs');
const path = require('node:path');
const { endOnSignals, run: runLinked } = require('./linked-program.cjs');
const { compilePackageFile } = require('./package-file.cjs');
const { workspaceRoot } = require('./swc-options.cjs');

/** The apps that run for long; `cli` loads little, and much of that late. */
const SERVICES = ['gateway', 'issuer', 'verifier', 'wallet-store'];
/**
 * What packages can do without and production does not install; a checkout has some of it for other packages. A build fails
 * when another one appears.
 */
const ABSENT = [
  ...['@nestjs/websockets', '@nestjs/websockets/*', '@nestjs/platform-express', 'class-validator'],
  ...['class-transformer', 'class-transformer/*', 'kafkajs', 'ioredis', 'mqtt', 'amqplib', 'amqp-connection-manager'],
  ...[
    '@fastify/multipart',
    '@fastify/static',
    '@fastify/view',
    '@grpc/grpc-js',
    '@grpc/proto-loader',
    'supports-color',
  ],
];
const dist = path.join(workspaceRoot, 'dist');
/** What was compiled of packages, and notes about what was linked. */
const caches = path.join(workspaceRoot, 'node_modules/.cache/linked');
/** Of all parts, each with its end. */
function digestOf(...parts) {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}
const readText = (name) => readFileSync(path.join(workspaceRoot, name), 'utf8');
/** What everything here is made by and of, besides our own compiled files. */
const TOOLS = ['tools/link.cjs', 'tools/linked-program.cjs', 'tools/package-file.cjs', 'package-lock.json'];
const mainOf = (app) => `dist/apps/${app}/src/main.js`;
/** The linked program of a service. */
const programOf = (app) => `dist/apps/${app}/main.js`;

/** Every file that the services may load, by its path in the workspace: its format and what it imports, as Node.js finds it. */
function findFiles(apps) {
  const { metafile } = require('esbuild').buildSync({
    absWorkingDir: workspaceRoot,
    entryPoints: apps.map(mainOf),
    outdir: path.join(dist, 'apps'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Exactly the conditions by which Node.js chooses a file.
    conditions: ['node-addons'],
    mainFields: ['main'],
    external: ABSENT,
    // The folder of packages may be a link; inside of it npm makes none.
    preserveSymlinks: true,
    logLevel: 'silent',
  });
  return metafile.inputs;
}

const isLate = ({ kind }) => kind === 'dynamic-import';

/** The imports of a file that are linked. Of our own compiled files Node.js loads those that are late. */
const linkedImports = ({ format, imports }) =>
  imports.filter((one) => !one.external && (format === 'esm' || !isLate(one)));

/** The files that one of them leads to, itself first. */
function filesFrom(inputs, entry) {
  const found = new Set([entry]);
  for (const name of found) for (const { path: imported } of linkedImports(inputs[name])) found.add(imported);
  return [entry, ...[...found].filter((name) => name !== entry).sort()];
}

/** Plain ASCII, line for line: V8 keeps any other text in twice the memory. */
const toAscii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The files of packages by their names, as they were compiled once for this lock file. */
function openPackages(writeWhole) {
  const file = path.join(caches, `${digestOf(...TOOLS.map(readText)).slice(0, 16)}.json`);
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const before = Object.keys(known).length;
  return {
    compile(name, format) {
      known[name] ??= compilePackageFile(readText(name), path.join(workspaceRoot, name), format);
      return known[name];
    },
    save() {
      if (Object.keys(known).length === before) return;
      for (const other of readdirSync(caches))
        if (other.endsWith('.json')) rmSync(path.join(caches, other), { force: true });
      writeWhole(file, JSON.stringify(known));
    },
  };
}

/** The kind of a file in a linked program, and its code. */
function describeFile(name, format = 'cjs', packages) {
  if (name.endsWith('.json')) return { kind: 'json', code: `module.exports = ${toAscii(readText(name).trim())};` };
  if (!name.startsWith('dist/')) return packages.compile(name, format);
  // Line for line, so that stacks can say where something is; the source map of one file is not that of the program.
  return { kind: format, code: toAscii(readText(name)).replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '') };
}

/** What a file says to require, and the index of the file that it gets. */
function requiredBy(name, input, indexes) {
  const linked = linkedImports(input);
  const late = input.imports.filter((one) => !one.external && !linked.includes(one));
  // There is nothing in its place: Node.js looks for it from the place of the program.
  const lost = late.find((one) => !one.path.startsWith(`node_modules/${one.original}/`));
  if (lost) throw new Error(`${name} imports ${lost.original}, which cannot be found from elsewhere`);
  return Object.fromEntries(linked.map((one) => [one.original, indexes.get(one.path)]));
}

/** The files by their names, described. A module that passes on an export that may change has one, too. */
function describeFiles(files, { inputs, packages }) {
  const described = new Map(files.map((name) => [name, describeFile(name, inputs[name].format, packages)]));
  const leadsToLive = (name) =>
    inputs[name].imports.some(({ path: imported }) => described.get(imported)?.kind === 'live');
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const [name, file] of described) {
      if (file.kind !== 'esm' || !file.passesOn || !leadsToLive(name)) continue;
      described.set(name, { ...file, kind: 'live' });
      isChanged = true;
    }
  }
  return described;
}

/** The text of a linked program. */
function textOf(files, { inputs, packages }) {
  const described = describeFiles(files, { inputs, packages });
  const indexes = new Map(files.map((name, index) => [name, index]));
  const parts = ['#!/usr/bin/env node', '// Linked from separate files by tools/link.cjs.'];
  parts.push(`(${endOnSignals})(process);`, `(${runLinked})([`);
  let line = parts.join('\n').split('\n').length + 1;
  for (const name of files) {
    const { kind, code } = described.get(name);
    const required = JSON.stringify(requiredBy(name, inputs[name], indexes));
    const parameters = 'exports,require,module,__filename,__dirname';
    const head = `[${JSON.stringify(name)},"${kind}",${required},${line + 1},function(${parameters}){`;
    parts.push(head, code, '}],');
    line += 2 + code.split('\n').length;
  }
  return `${parts.join('\n')}\n], { require, filename: __filename });\n`;
}

/** The compiled files below a folder, without linked programs. */
const filesOf = (folder) =>
  readdirSync(path.join(workspaceRoot, folder), { recursive: true })
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .filter((name) => name.endsWith('.js') && !programs.has(name))
    .sort();

const programs = new Set(SERVICES.map(programOf));

/** What would be linked now, and what the last program was linked from; a note beside the packages says so. */
function openNote(app, common) {
  const [note, program] = [path.join(caches, `${app}.txt`), path.join(workspaceRoot, programOf(app))];
  const digest = digestOf(common, ...filesOf(`dist/apps/${app}`).flatMap((name) => [name, readText(name)]));
  const current = () => `${digest} ${digestOf(readFileSync(program))}`;
  return {
    isCurrent: () => existsSync(note) && existsSync(program) && readFileSync(note, 'utf8') === current(),
    write: (writeWhole) => writeWhole(note, current()),
  };
}

/**
 * Links those of the apps that are services and have changed. Everything that they are made of must have been compiled.
 * `writeWhole` writes a file in one step.
 */
function link(apps, writeWhole) {
  const services = SERVICES.filter((app) => apps.includes(app));
  if (services.length === 0) return;
  mkdirSync(caches, { recursive: true });
  const ours = ['libs/core', 'libs/platform'].flatMap((folder) => filesOf(`dist/${folder}`));
  const common = digestOf(...[...TOOLS, ...ours].flatMap((name) => [name, readText(name)]));
  const notes = new Map(services.map((app) => [app, openNote(app, common)]));
  const changed = services.filter((app) => !notes.get(app).isCurrent());
  if (changed.length === 0) return;
  const inputs = findFiles(changed);
  const packages = openPackages(writeWhole);
  for (const app of changed) {
    writeWhole(path.join(workspaceRoot, programOf(app)), textOf(filesFrom(inputs, mainOf(app)), { inputs, packages }));
    notes.get(app).write(writeWhole);
  }
  packages.save();
}

module.exports = { link, programOf, SERVICES };
