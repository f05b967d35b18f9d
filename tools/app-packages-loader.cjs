'use strict';
// With `node --require`: gives our own code the packages that `app-packages.cjs` has put into one file, and runs the
// product's files by the text and the code cache that it has put beside this file. Run by itself it writes the caches.
// Threads load everything as usual: their memory is limited.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const beside = (name) => path.join(__dirname, name);
const PACKAGES = `${path.sep}node_modules${path.sep}`;
const makesCache = require.main === module;
/** The folder of the compiled product, where each of its files begins and ends, those to run first, and the packages. */
const product = JSON.parse(readFileSync(beside('product.json'), 'utf8'));
const bundle = product.packages;

/** Compiles a CommonJS module, with what is cached of it. */
const compile = (source, filename, cachedData) =>
  new vm.Script(Module.wrap(source), {
    filename,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });

let packages;
/** A function for each package, by the name that our code requires. */
function loadPackages() {
  if (packages !== undefined) return packages;
  const cache = `${bundle}.cache`;
  const isCached = existsSync(cache);
  // It is plain ASCII.
  const script = compile(readFileSync(bundle, 'latin1'), bundle, isCached ? readFileSync(cache) : undefined);
  const module = { exports: {} };
  const require = Module.createRequire(bundle);
  script.runInThisContext().call(module.exports, module.exports, require, module, bundle, __dirname);
  packages = module.exports;
  if (makesCache && !isCached) {
    for (const load of Object.values(packages)) load();
    writeFileSync(cache, script.createCachedData());
  }
  return packages;
}

const load = Module._load;
/** Packages in `node_modules`, if any, get what Node finds for them. */
function loadFromBundle(request, parent, ...rest) {
  const isOurs = parent?.filename && !parent.filename.includes(PACKAGES);
  const isPackage = isOurs && !request.startsWith('.') && !path.isAbsolute(request) && !Module.isBuiltin(request);
  const found = isPackage ? loadPackages()[request] : undefined;
  return found === undefined ? load.call(this, request, parent, ...rest) : found();
}

/** The files of the product by their paths: how to compile each. */
function openProduct() {
  const sources = readFileSync(beside('product.txt'), 'latin1');
  const caches = makesCache ? undefined : readFileSync(beside('product.cache'));
  const entries = Object.entries(product.files).map(([name, [start, end, cacheStart, cacheEnd]]) => {
    const filename = path.join(product.root, name);
    const cached = cacheEnd === undefined ? undefined : caches?.subarray(cacheStart, cacheEnd);
    return [filename, () => compile(sources.slice(start, end), filename, cached)];
  });
  return new Map(entries);
}

const files = isMainThread ? openProduct() : new Map();
const scripts = new Map();
const loadScript = Module._extensions['.js'];
/** Node's own way, but for finding, reading and compiling the file. */
function runProduct(module, filename) {
  const script = files.get(filename)?.();
  if (script === undefined) return loadScript.call(this, module, filename);
  if (makesCache) scripts.set(filename, script);
  const require = (request) => module.require(request);
  const { exports } = module;
  return script.runInThisContext().call(exports, exports, require, module, filename, path.dirname(filename));
}

const resolveFilename = Module._resolveFilename;
/** What one file of the product requires of another is where TypeScript found it. */
function resolveInProduct(request, parent, ...rest) {
  if (request.startsWith('.') && files.has(parent?.filename)) {
    const place = path.join(path.dirname(parent.filename), request);
    const found = [`${place}.js`, path.join(place, 'index.js')].find((file) => files.has(file));
    if (found !== undefined) return found;
  }
  return resolveFilename.call(this, request, parent, ...rest);
}

if (isMainThread) {
  Module._load = loadFromBundle;
  Module._extensions['.js'] = runProduct;
  Module._resolveFilename = resolveInProduct;
}

/** Runs what the apps consist of, but for their `main`, and writes what V8 has compiled of it. */
function writeProductCache() {
  for (const name of product.entries) require(path.join(product.root, name));
  const parts = [];
  let size = 0;
  for (const [filename, script] of scripts) {
    const data = script.createCachedData();
    parts.push(data);
    product.files[path.relative(product.root, filename)].push(size, size + data.length);
    size += data.length;
  }
  writeFileSync(beside('product.cache'), Buffer.concat(parts));
  writeFileSync(beside('product.json'), JSON.stringify(product));
}

if (makesCache) {
  loadPackages();
  writeProductCache();
}
