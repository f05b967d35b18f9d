'use strict';
// Jest runs CommonJS: our TypeScript goes through swc, and so do the packages that ship ESM only.
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

module.exports = {
  process(source, filename) {
    if (filename.endsWith('.ts')) {
      return transformSync(source, { ...swcOptions(filename, { ignoreDynamic: false }), sourceMaps: 'inline' });
    }
    return isEsm(filename) ? transformSync(source, esmOptions(filename)) : { code: source };
  },
  getCacheKey(source, filename) {
    return (
      createHash('sha256')
        .update(source)
        .update('\0')
        .update(filename)
        .update(readFileSync(__filename))
        .update(readFileSync(path.join(__dirname, 'swc-options.cjs')))
        .update(readFileSync(path.join(__dirname, 'package-type.cjs')))
        // Aliases become relative paths in the output.
        .update(readFileSync(path.join(workspaceRoot, 'tsconfig.base.json')))
        .digest('hex')
    );
  },
};
