'use strict';
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

const types = new Map();

/**
 * The type of `.js` files in a folder, `module` or `commonjs`, from the nearest package.json. As in Node, the search
 * ends at a package folder and at the root of the file system, with `commonjs` as the default.
 */
function packageType(folder) {
  const known = types.get(folder);
  if (known) return known;
  const type = findType(folder);
  types.set(folder, type);
  return type;
}

function findType(folder) {
  const manifest = path.join(folder, 'package.json');
  const parent = path.dirname(folder);
  if (path.basename(folder) === 'node_modules') return 'commonjs';
  if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module' ? 'module' : 'commonjs';
  return parent === folder ? 'commonjs' : packageType(parent);
}

module.exports = { packageType };
