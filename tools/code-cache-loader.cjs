'use strict';
// With `node --require`: compiles a linked service from the code cache that `code-cache.cjs` has put beside this file. With
// MAKE_CODE_CACHE in the environment it writes that cache when the service ends.
const { readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

/** This file is in a folder of `dist/code-caches`. A copy of the checkout thus finds its own programs. */
const root = path.resolve(__dirname, '../../..');
const caches = JSON.parse(readFileSync(path.join(__dirname, 'caches.json'), 'utf8'));
const makesCache = process.env.MAKE_CODE_CACHE !== undefined;
const compile = Module.prototype._compile;

/** Node's own way, but for the cache; all other files as usual. */
function compileWithCache(content, filename, ...rest) {
  const name = caches[path.relative(root, filename)];
  if (name === undefined) return compile.call(this, content, filename, ...rest);
  const cache = path.join(__dirname, name);
  const script = new vm.Script(Module.wrap(content.replace(/^#!.*/, '')), {
    filename,
    cachedData: makesCache ? undefined : readFileSync(cache),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (makesCache) process.once('exit', () => writeFileSync(cache, script.createCachedData()));
  const require = Module.createRequire(filename);
  const { exports } = this;
  return script.runInThisContext().call(exports, exports, require, this, filename, path.dirname(filename));
}

Module.prototype._compile = compileWithCache;
