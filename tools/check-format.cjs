'use strict';
// usage: node tools/check-format.cjs
// Checks in the current folder that every file has the form that Prettier gives it. oxfmt gives nearly all files the same form
// in a small part of the processor time. Of those that it would write differently, Prettier decides.
const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

const MODULES = path.join(__dirname, '../node_modules');
const OXFMT = path.join(MODULES, 'oxfmt/bin/oxfmt');
const PRETTIER = path.join(MODULES, 'prettier/bin/prettier.cjs');
/** Arguments for one program may not be longer. */
const FILES_AT_ONCE = 500;

/** Runs a formatter that lists the files which it would change: exit code 1 if there are any. */
function listDifferent(program, argv, folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--list-different', ...argv], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = stdout.split('\n').filter((line) => line !== '');
  if ((status === 0 && files.length === 0) || (status === 1 && files.length > 0)) return files;
  throw new Error(`${path.basename(program)} ended with ${status}: ${stdout}${stderr}`);
}

/** Those that oxfmt would write differently, by the settings of Prettier. */
function doubtfulFiles(folder) {
  const settings = JSON.parse(readFileSync(path.join(folder, '.prettierrc.json'), 'utf8'));
  const place = mkdtempSync(path.join(tmpdir(), 'vestibule-format-'));
  try {
    const file = path.join(place, 'oxfmt.json');
    // What Prettier leaves as it is.
    writeFileSync(file, JSON.stringify({ ...settings, sortPackageJson: false }));
    return listDifferent(OXFMT, ['--disable-nested-config', '-c', file, '.'], folder);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The files in a folder that do not have the form that Prettier gives them; its ignore file and its settings count. */
function unformattedFiles(folder) {
  const doubtful = doubtfulFiles(folder);
  const found = [];
  for (let at = 0; at < doubtful.length; at += FILES_AT_ONCE) {
    found.push(...listDifferent(PRETTIER, ['--ignore-unknown', ...doubtful.slice(at, at + FILES_AT_ONCE)], folder));
  }
  return found;
}

module.exports = { unformattedFiles };

if (require.main === module) {
  const files = unformattedFiles(process.cwd());
  for (const file of files) console.error(`not formatted: ${file}`);
  if (files.length > 0) console.error('run "npm run format"');
  process.exitCode = files.length === 0 ? 0 : 1;
}
