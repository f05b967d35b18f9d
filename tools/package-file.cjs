'use strict';
// A file of a package as it stands in a linked program: as CommonJS, and which of its exports may change. ES modules export
// bindings, not values; a linked program has values wherever bindings never change, because a value costs less than a call.
const { parseSync, transformSync } = require('@swc/core');

/** As CommonJS, without comments and spaces; nothing is lowered and no name changed. */
function toCommonJs(text, filename, format) {
  const { code } = transformSync(text, {
    filename,
    swcrc: false,
    configFile: false,
    sourceMaps: false,
    minify: true,
    isModule: format === 'esm' ? true : 'commonjs',
    jsc: {
      target: 'esnext',
      parser: { syntax: 'ecmascript' },
      output: { charset: 'ascii' },
      minify: { compress: false, mangle: false, format: { comments: false, asciiOnly: true } },
    },
    ...(format === 'esm' ? { module: { type: 'commonjs' } } : {}),
  });
  return code;
}

/** How the compiler exports a binding of the module, or one of another module, by a name. */
const GETTER = /(?:get [\w$]+\(\)|get:function\(\))\{return ([\w$]+)(\.[\w$]+)?;?\}/g;
const EXPORTS = /Object\.defineProperty\(exports,"(?!__esModule")|_export\(exports,/;
const OF_FUNCTIONS =
  /^(?:Function|ArrowFunction|Class(?:Method|Property)|Private(?:Method|Property)|Constructor|StaticBlock)|(?:Method|Getter|Setter)Property$/;

/** The variables in the target of an assignment, without those whose members are assigned. */
function* targetsIn(node) {
  if (Array.isArray(node)) for (const one of node) yield* targetsIn(one);
  else if (node?.type === 'Identifier') yield node.value;
  else if (node && typeof node === 'object' && node.type !== 'MemberExpression')
    for (const value of Object.values(node)) yield* targetsIn(value);
}

const targetOf = ({ type, left, argument }) => {
  if (type === 'UpdateExpression') return argument;
  return ['AssignmentExpression', 'ForInStatement', 'ForOfStatement'].includes(type) ? left : undefined;
};

/** The variables that functions of the module assign: what is assigned outside of them has its value once the module has run. */
function* assignedLater(node, isLater = false) {
  if (Array.isArray(node)) for (const one of node) yield* assignedLater(one, isLater);
  if (Array.isArray(node) || node === null || typeof node !== 'object') return;
  const target = isLater ? targetOf(node) : undefined;
  if (target !== undefined) yield* targetsIn(target);
  const within = isLater || OF_FUNCTIONS.test(node.type ?? '');
  for (const value of Object.values(node)) if (value && typeof value === 'object') yield* assignedLater(value, within);
}

/** Whether an export may change after the module has run, and whether the module passes on exports of others. */
function describeExports(filename, code) {
  const getters = [...code.matchAll(GETTER)];
  if (getters.length === 0 && EXPORTS.test(code))
    throw new Error(`${filename}: the compiler exports in an unknown way`);
  const passesOn = code.includes('_export_star(') || getters.some(([, , member]) => member !== undefined);
  const own = new Set(getters.filter(([, , member]) => member === undefined).map(([, name]) => name));
  const { body } = parseSync(code, { syntax: 'ecmascript', target: 'esnext', isModule: false });
  return { isLive: [...assignedLater(body)].some((name) => own.has(name)), passesOn };
}

/**
 * Compiles a file of a package. Its kind is that of a file of a linked program (linked-program.cjs): `cjs`, `esm`, or `live` for a module with
 * an export that may change; `passesOn` says whether such exports of others are exported again. Throws if the compiler
 * exports in a way that is not known here.
 */
function compilePackageFile(text, filename, format) {
  const code = toCommonJs(text, filename, format);
  if (format !== 'esm') return { kind: format, code, passesOn: false };
  const { isLive, passesOn } = describeExports(filename, code);
  return { kind: isLive ? 'live' : 'esm', code, passesOn };
}

module.exports = { compilePackageFile };
