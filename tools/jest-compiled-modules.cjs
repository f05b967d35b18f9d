'use strict';
// Jest compiles every module again for each test file. A compiled script does not belong to a context, so a worker
// compiles each module once and runs it in the context of each test file, which saves a fifth of the processor time of
// the unit tests.
const vm = require('node:vm');

const { compileFunction } = vm;
/** Jest asks the environment for a context. For this one modules run in the realm of the process. */
const PROCESS_REALM = vm.createContext({});
/** Per file: the compiled source, and its script. */
const compiled = new Map();
/** `import()` needs the loader of the test file, which a shared script does not have. */
const importsLater = (code) => /\bimport\s*\(/.test(code);

function scriptOf(code, parameters, filename) {
  const known = compiled.get(filename);
  if (known?.code === code) return known.script;
  // On the first line of the module, before its first column, so that positions in stacks and source maps do not
  // change.
  const head = `(function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
  compiled.set(filename, { code, script });
  return script;
}

vm.compileFunction = (code, parameters = [], options = {}) => {
  const { filename, parsingContext } = options;
  const isModuleOfJest = parsingContext !== undefined && filename !== undefined;
  if (!isModuleOfJest) return compileFunction(code, parameters, options);
  if (importsLater(code)) {
    const realm = parsingContext === PROCESS_REALM ? undefined : parsingContext;
    return compileFunction(code, parameters, { ...options, parsingContext: realm });
  }
  const script = scriptOf(code, parameters, filename);
  return parsingContext === PROCESS_REALM ? script.runInThisContext() : script.runInContext(parsingContext);
};

module.exports = { PROCESS_REALM };
