'use strict';
// The parts of a linked program that run: `link.cjs` copies these functions into it.

/**
 * Signals end the process while its files are loaded, too, and after that until somebody listens to them. The first process of
 * a container has no default for signals: one that comes too early would be lost, and the process killed later, at work. What
 * comes while files are loaded waits for the listeners that they add.
 */
function endOnSignals(host) {
  for (const signal of ['SIGTERM', 'SIGINT'])
    host.on(signal, () => {
      if (host.listenerCount(signal) === 1) host.exit(1);
    });
}

/**
 * Runs the first of the files. Each is `[name, kind, required, first line, code]`: the name is its path in the workspace; the
 * kind is `cjs` or `json`, `esm` for a module that has become CommonJS, or `live` for one whose exports may change later; and
 * `required` leads from a name that its code requires to the index of a file. A name that is not there is what Node.js finds from
 * the place of the file.
 */
function run(files, program) {
  const [NAME, KIND, REQUIRED, LINE, CODE] = [0, 1, 2, 3, 4];
  const path = program.require('node:path');
  const { createRequire, isBuiltin } = program.require('node:module');
  const root = path.resolve(path.dirname(program.filename), '../../..');
  const modules = new Map();
  const namespaces = new WeakMap();
  const isModule = (file) => file[KIND] === 'esm' || file[KIND] === 'live';

  /**
   * Exports as values: a getter would cost each use a call. One that has nothing yet, for its module is part of a cycle,
   * stays, and so do those of a built-in module: Node.js warns when deprecated ones are read. V8 finds members of an object fast,
   * however many there are, once it has been a prototype.
   */
  function valuesOf(exports, ofBuiltin = false) {
    const values = {};
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(exports))) {
      try {
        if (!ofBuiltin || descriptor.get === undefined) values[name] = exports[name];
      } catch {
        // It is not initialised yet.
      }
      if (values[name] === undefined) Object.defineProperty(values, name, { ...descriptor, configurable: true });
    }
    Object.defineProperty(values, '__esModule', { value: true, enumerable: false });
    Object.setPrototypeOf({}, values);
    return values;
  }

  /** What a module imports of CommonJS: the exports by their names, and all of them as the default. */
  function namespaceOf(exports, ofBuiltin) {
    const isObject = (typeof exports === 'object' && exports !== null) || typeof exports === 'function';
    if (!isObject) return { __esModule: true, default: exports };
    if (namespaces.has(exports)) return namespaces.get(exports);
    const namespace = Object.defineProperty(valuesOf(exports, ofBuiltin), 'default', {
      value: exports,
      enumerable: true,
    });
    namespaces.set(exports, namespace);
    return namespace;
  }

  function requireFor(file, filename) {
    const required = file[REQUIRED];
    let lookUp;
    const fromFolders = () => (lookUp ??= createRequire(filename));
    const seen = (exports, ofModule, ofBuiltin) =>
      isModule(file) && !ofModule ? namespaceOf(exports, ofBuiltin) : exports;
    function require(name) {
      const index = Object.hasOwn(required, name) ? required[name] : undefined;
      if (index !== undefined) return seen(load(index), isModule(files[index]));
      if (isBuiltin(name)) return seen(program.require(name), false, true);
      const exports = fromFolders()(name);
      return seen(exports, exports?.[Symbol.toStringTag] === 'Module');
    }
    require.main = program.require.main;
    require.cache = program.require.cache;
    require.resolve = (...parameters) => fromFolders().resolve(...parameters);
    return require;
  }

  /** As Node.js does it: a file is known before it runs, so that cycles end, and forgotten if it fails. */
  function load(index) {
    const known = modules.get(index);
    if (known) return known.exports;
    const file = files[index];
    const filename = path.join(root, file[NAME]);
    const module = { exports: {}, id: filename, filename, path: path.dirname(filename), loaded: false, children: [] };
    module.parent = program.require.main;
    module.require = requireFor(file, filename);
    modules.set(index, module);
    try {
      file[CODE].call(module.exports, module.exports, module.require, module, filename, module.path);
    } catch (error) {
      modules.delete(index);
      throw error;
    }
    if (file[KIND] === 'esm') module.exports = valuesOf(module.exports);
    module.loaded = true;
    return module.exports;
  }

  /** The file at a line of this program, with the line in it; a file of a package has lost its lines. */
  function placeOf(line, column) {
    const file = files.findLast((one) => one[LINE] <= line);
    if (file === undefined) return undefined;
    const filename = path.join(root, file[NAME]);
    return file[NAME].startsWith('dist/') ? `${filename}:${line - file[LINE] + 1}:${column}` : filename;
  }

  function relocate(frame) {
    const at = frame.indexOf(`${program.filename}:`);
    const [found, line, column] = /^:(\d+):(\d+)/.exec(frame.slice(at + program.filename.length)) ?? [];
    const place = at === -1 || found === undefined ? undefined : placeOf(Number(line), column);
    if (place === undefined) return frame;
    return `${frame.slice(0, at)}${place}${frame.slice(at + program.filename.length + found.length)}`;
  }

  /** A stack names the files that were linked, as it would if each were loaded by itself. */
  Error.prepareStackTrace = (error, frames) => {
    let title = '<error>';
    try {
      title = Error.prototype.toString.call(error);
    } catch {
      // The error has a name or a message that throws.
    }
    return [title, ...frames.map((frame) => `    at ${relocate(String(frame))}`)].join('\n');
  };
  load(0);
}

module.exports = { endOnSignals, run };
