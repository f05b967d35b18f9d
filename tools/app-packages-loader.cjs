'use strict';
// With `node --require`: gives our own code the packages of `packages.cjs`, which `app-packages.cjs` has made beside this
// file. Run by itself it writes the code cache. Threads load packages as usual: their memory is limited.
const { readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const bundle = path.join(__dirname, 'packages.cjs');
const cache = path.join(__dirname, 'packages.cache');
const PACKAGES = `${path.sep}node_modules${path.sep}`;
const makesCache = require.main === module;

let packages;
/** A function for each package, by the name that our code requires. */
function loadPackages() {
  if (packages !== undefined) return packages;
  // It is plain ASCII.
  const script = new vm.Script(Module.wrap(readFileSync(bundle, 'latin1')), {
    filename: bundle,
    cachedData: makesCache ? undefined : readFileSync(cache),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const require = Module.createRequire(bundle);
  script.runInThisContext().call(module.exports, module.exports, require, module, bundle, __dirname);
  packages = module.exports;
  if (makesCache) {
    for (const load of Object.values(packages)) load();
    writeFileSync(cache, script.createCachedData());
  }
  return packages;
}

const load = Module._load;
/** Packages in `node_modules`, if any, get what Node finds for them. */
Module._load = function (request, parent, ...rest) {
  const isOurs = parent?.filename && !parent.filename.includes(PACKAGES);
  const isPackage = isOurs && !request.startsWith('.') && !path.isAbsolute(request) && !Module.isBuiltin(request);
  const found = isPackage ? loadPackages()[request] : undefined;
  return found === undefined ? load.call(this, request, parent, ...rest) : found();
};

if (!isMainThread) Module._load = load;
else if (makesCache) loadPackages();
