'use strict';
// usage: node tools/node-lines.cjs install (the newest version of each line; skips installed ones)
//        node tools/node-lines.cjs run <line> <script> [argument ...]
// Other versions of Node beside the one that runs this, from the npm package `node`: continuous integration runs
// tests and the demo on them. NODE_LINES_FOLDER names their folder; default: vestibule/node-lines below the user's
// cache.
const { execFileSync, spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, renameSync, rmSync } = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');

/** Node 22 and 24 are supported; 20 still works. */
const SUPPORTED = ['22', '24'];
const ALL = ['20', ...SUPPORTED];
const root = path.resolve(__dirname, '..');
const currentLine = process.versions.node.split('.')[0];

function folder() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return process.env.NODE_LINES_FOLDER || path.join(cache, 'vestibule', 'node-lines');
}

const programIn = (place) =>
  path.join(place, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');

function versionOf(program) {
  return existsSync(program) ? execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1) : undefined;
}

/**
 * The program of a line: the one that `install` has put there, or the running Node if it belongs to that line;
 * otherwise undefined.
 */
function findNode(line) {
  const program = programIn(path.join(folder(), line));
  if (existsSync(program)) return program;
  return line === currentLine ? process.execPath : undefined;
}

function npm(args, cwd) {
  const environment = { ...process.env, npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };
  return execFileSync('npm', args, { cwd, encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
}

const byNumbers = (one, other) => one.localeCompare(other, 'en', { numeric: true });

/** The newest version of a line in the registry. */
function newestOf(line) {
  const versions = JSON.parse(npm(['view', `node@${line}`, 'version', '--json'], root));
  return [versions].flat().sort(byNumbers).at(-1);
}

/** Atomic, so that two concurrent runs never see a partial one. */
function put(version, place) {
  const partial = `${place}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  npm(['install', '--prefix', partial, '--no-save', '--no-audit', '--no-fund', `node@${version}`], partial);
  if (versionOf(programIn(partial)) !== version) throw new Error(`npm did not install Node ${version}`);
  try {
    rmSync(place, { recursive: true, force: true });
    renameSync(partial, place);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another run may have been faster.
    if (versionOf(programIn(place)) !== version) throw error;
  }
}

function install(line) {
  const place = path.join(folder(), line);
  const there = versionOf(programIn(place));
  try {
    const newest = newestOf(line);
    if (newest !== there) put(newest, place);
    console.log(`Node ${line}: ${newest}${newest === there ? '' : ', installed now'}`);
  } catch (error) {
    if (there === undefined) throw error;
    console.log(`Node ${line}: ${there}; the registry does not say whether that is the newest`);
  }
}

function run(line, script) {
  const program = findNode(line);
  if (program === undefined) throw new Error(`there is no Node ${line}: node tools/node-lines.cjs install`);
  console.log(`Node ${versionOf(program)}`);
  return spawnSync(program, script, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/**
 * The lines for tests, each with its program; undefined if it is not installed: the test then reports that and is
 * skipped. With NODE_LINES=required, as in continuous integration, a missing line is an error.
 */
function linesForTests() {
  const lines = ALL.map((line) => ({ line, program: findNode(line) }));
  const missing = lines.filter(({ program }) => program === undefined).map(({ line }) => line);
  if (process.env.NODE_LINES === 'required' && missing.length > 0) {
    throw new Error(`there is no Node ${missing.join(' and no Node ')}: node tools/node-lines.cjs install`);
  }
  return lines;
}

module.exports = { linesForTests };

if (require.main === module) {
  const [command, line, ...script] = process.argv.slice(2);
  if (command === 'install') {
    for (const one of ALL) if (SUPPORTED.includes(one) || one !== currentLine) install(one);
  } else if (command === 'run' && ALL.includes(line) && script.length > 0) {
    process.exitCode = run(line, script);
  } else {
    console.error('usage: node tools/node-lines.cjs install | run <line> <script> [argument ...]');
    process.exitCode = 2;
  }
}
