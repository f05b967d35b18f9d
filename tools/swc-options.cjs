'use strict';
// The compiler settings that the build and the tests share.
const { readFileSync } = require('node:fs');
const path = require('node:path');

const workspaceRoot = path.resolve(__dirname, '..');
const { compilerOptions } = JSON.parse(readFileSync(path.join(workspaceRoot, 'tsconfig.base.json'), 'utf8'));

/**
 * swc options for one of our own TypeScript files. `overrides` are merged into the `module` block. Path aliases become
 * relative requires, so that the output runs without a resolver hook.
 */
function swcOptions(filename, overrides = {}) {
  return {
    filename,
    swcrc: false,
    configFile: false,
    sourceMaps: overrides.sourceMaps ?? true,
    cwd: workspaceRoot,
    jsc: {
      target: 'es2022',
      baseUrl: workspaceRoot,
      paths: compilerOptions.paths,
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
    module: { type: 'commonjs', ignoreDynamic: overrides.ignoreDynamic ?? true },
  };
}

module.exports = { workspaceRoot, swcOptions };
