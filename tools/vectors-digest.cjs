'use strict';
// Prints a digest of the official test vectors, which are outside of the workspace: an input of the tests for Nx.
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, readdirSync, statSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..', process.env.SPEC_VECTORS_DIR ?? '../shared/vectors');
const hash = createHash('sha256');
const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }).sort() : [];
for (const file of files) {
  const full = path.join(root, file);
  if (statSync(full).isFile()) hash.update(`${file}\0`).update(readFileSync(full));
}
console.log(files.length === 0 ? 'no vectors' : hash.digest('hex'));
