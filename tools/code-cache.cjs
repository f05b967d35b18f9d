'use strict';
// usage: node tools/code-cache.cjs (after a build; prints the file that apps load first)
// Half of the processor time that a linked service takes to start goes into compiling it. The services that Jest starts get
// V8's cache of their compiled code; programs (`npm start`, the demo, the proofs) start them as production does, unless
// TEST_CODE_CACHE names that file.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { programOf, SERVICES } = require('./link.cjs');

const root = path.resolve(__dirname, '..');
const LOADER = path.join(__dirname, 'code-cache-loader.cjs');

/** Runs a program until it finds that it has no configuration; the loader then writes what V8 has compiled. */
function compileOnce(loader, program) {
  const env = { MAKE_CODE_CACHE: 'yes' };
  try {
    execFileSync(process.execPath, ['--require', loader, program], { cwd: root, env, stdio: 'pipe' });
  } catch (error) {
    // Its exit code for a configuration that is wrong.
    if (error.status !== 2) throw error;
  }
}

function fill(folder, programs) {
  const caches = programs.map((program, index) => [program, `${index}.cache`]);
  writeFileSync(path.join(folder, 'caches.json'), JSON.stringify(Object.fromEntries(caches)));
  copyFileSync(LOADER, path.join(folder, 'loader.cjs'));
  for (const program of programs) compileOnce(path.join(folder, 'loader.cjs'), path.join(root, program));
}

/**
 * Caches the compiled code of the linked services, unless that was done before. Returns the file that a service must load
 * first (`node --require`).
 */
function makeCodeCaches() {
  const programs = SERVICES.map(programOf);
  const digest = createHash('sha256').update([process.version, process.arch].join('\0'));
  for (const file of [__filename, LOADER, ...programs]) digest.update(readFileSync(path.resolve(root, file)));
  const folder = path.join(root, 'dist/code-caches', digest.digest('hex').slice(0, 16));
  const loader = path.join(folder, 'loader.cjs');
  if (existsSync(folder)) return loader;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  fill(partial, programs);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(folder)) throw error;
  }
  return loader;
}

module.exports = { makeCodeCaches };

if (require.main === module) console.log(makeCodeCaches());
