'use strict';
// Jest's module loader, except that packages come from Node's own: loaded once for a worker, not for each test file. Each file
// still gets instances of our own modules, and its mocks of packages hold in these. A file with a context of its own gets
// everything from Jest's loader.
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');
const { PROCESS_REALM } = require('./jest-compiled-modules.cjs');
const { loadPackage } = require('./jest-realm.cjs');

const PACKAGES = `${path.sep}node_modules${path.sep}`;
/** `second-wallet-deferred.e2e-spec.ts` replaces what this wallet itself sends requests with. */
const LOADED_BY_JEST = /[/\\]node_modules[/\\](?:@sphereon|cross-fetch)[/\\]/;
/** Those parts of Jest that know which file runs. */
const OF_EACH_FILE = ['@jest/expect', '@jest/globals', 'expect', 'jest-circus', 'jest-mock', 'jest-snapshot'];
const loadedForEachFile = new Set([...OF_EACH_FILE, 'source-map-support']);

const isPackage = (name) => !name.startsWith('.') && !path.isAbsolute(name) && !isBuiltin(name);
const isShared = (file) => file.includes(PACKAGES) && !LOADED_BY_JEST.test(file);

class SharingRuntime extends Runtime {
  isInSharedRealm() {
    return this._environment.getVmContext() === PROCESS_REALM;
  }

  requireModule(from, name, options, isActual) {
    const isOfJest = options?.isInternalModule === true;
    if (isOfJest || !this.isInSharedRealm() || (name !== undefined && isBuiltin(name))) {
      return super.requireModule(from, name, options, isActual);
    }
    // With the mapped names of jest.config.cjs, and the conditions of the environment.
    const file = this._resolution.resolveCjs(from, name);
    return isShared(file) ? loadPackage(file) : super.requireModule(from, name, options, isActual);
  }

  requireInternalModule(from, name) {
    const isShareable = this.isInSharedRealm() && name !== undefined && isPackage(name) && !loadedForEachFile.has(name);
    return isShareable ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }
}

module.exports = { __esModule: true, default: SharingRuntime };
