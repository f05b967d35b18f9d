'use strict';
// Jest runs CommonJS: swc compiles our TypeScript, and the packages that ship only ESM.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { transformSync } = require('@swc/core');
const { packageType } = require('./package-type.cjs');
const { swcOptions, workspaceRoot } = require('./swc-options.cjs');

const isEsm = (file) => file.endsWith('.mjs') || (file.endsWith('.js') && packageType(path.dirname(file)) === 'module');

function esmOptions(filename) {
  return {
    filename,
    swcrc: false,
    configFile: false,
    sourceMaps: false,
    jsc: { target: 'es2022', parser: { syntax: 'ecmascript', dynamicImport: true } },
    module: { type: 'commonjs' },
  };
}

/** Files that the output depends on; the last one maps aliases to relative paths. Read once, not for each module. */
const settings = createHash('sha256');
for (const file of [
  'tools/jest-transform.cjs',
  'tools/swc-options.cjs',
  'tools/package-type.cjs',
  'tsconfig.base.json',
]) {
  settings.update(readFileSync(path.join(workspaceRoot, file))).update('\0');
}
const settingsDigest = settings.digest('hex');

module.exports = {
  process(source, filename) {
    if (filename.endsWith('.ts')) {
      return transformSync(source, { ...swcOptions(filename, { ignoreDynamic: false }), sourceMaps: 'inline' });
    }
    return isEsm(filename) ? transformSync(source, esmOptions(filename)) : { code: source };
  },
  getCacheKey(source, filename) {
    return createHash('sha256').update(`${settingsDigest}\0${filename}\0`).update(source).digest('hex');
  },
};
