'use strict';
// What every command checks first. Written so that old versions of Node can still parse it.
var fs = require('node:fs');
var path = require('node:path');

var root = path.resolve(__dirname, '..');
var VERSIONS = require('../package.json').engines.node;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Does a version satisfy one term of a range: `^20.20.2` (only that major version) or `>=25.8.2`? */
function satisfies(version, floor) {
  var wanted = /^(\^|>=)(\d+)\.(\d+)\.(\d+)$/.exec(floor);
  var given = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (!wanted || !given) return false;
  if (wanted[1] === '^' && given[1] !== wanted[2]) return false;
  for (var at = 1; at <= 3; at += 1) {
    if (Number(given[at]) !== Number(wanted[at + 1])) return Number(given[at]) > Number(wanted[at + 1]);
  }
  return true;
}

/** Is a version of Node in the range of `engines` in package.json? */
function isSupported(version) {
  return VERSIONS.split(' || ').some(function (floor) {
    return satisfies(version, floor);
  });
}

/** Ends the process with a clear message if Node is too old. */
function checkNode() {
  if (isSupported(process.versions.node)) return;
  fail(
    'Node ' +
      process.versions.node +
      ' is not supported: Vestibule needs ' +
      VERSIONS +
      '. Older ones can be stopped by' +
      ' a body of a few hundred kilobytes (CVE-2026-21717).',
  );
}

/** {@link checkNode}, and fails if `npm ci` was not run. */
function checkInstallation() {
  checkNode();
  if (!fs.existsSync(path.join(root, 'node_modules/@swc/core'))) {
    fail('The packages are not installed: run "npm ci" in ' + root + ' first.');
  }
}

/** The parent and the name of a process, or undefined if it does not exist or the system does not say. */
function lookUp(pid) {
  try {
    // <pid> (<name>) <state> <parent> …
    var stat = /^\d+ \(([^]*)\) \S (\d+) /.exec(fs.readFileSync('/proc/' + pid + '/stat', 'utf8'));
    return { name: stat[1], parent: Number(stat[2]) };
  } catch (error) {
    return undefined;
  }
}

/**
 * The processes from the given one up to npm: a shell, Nx, another shell. If the system does not say, only the parent.
 */
function chainToNpm(pid) {
  var chain = [];
  for (var at = pid; at > 1 && chain.length < 8;) {
    chain.push(at);
    var found = lookUp(at);
    if (!found || /^npm\b/.test(found.name)) break;
    at = found.parent;
  }
  return chain;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return false;
  }
}

/**
 * npm passes SIGTERM only to its shell, which passes it to nobody: when npm or one of the processes in between has
 * ended, this process ends as if it had received the signal itself.
 */
function followNpm() {
  if (!process.env.npm_lifecycle_event) return;
  var parent = process.ppid;
  var chain = chainToNpm(parent);
  var timer = setInterval(function () {
    if (process.ppid === parent && chain.every(isAlive)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

/** Nx forces colours even without a terminal; the programs below find out for themselves whether there is one. */
function forgetColours() {
  if (process.env.NX_TASK_TARGET_TARGET && process.env.FORCE_COLOR === 'true') delete process.env.FORCE_COLOR;
}

module.exports = {
  checkInstallation: checkInstallation,
  checkNode: checkNode,
  followNpm: followNpm,
  forgetColours: forgetColours,
  isSupported: isSupported,
  root: root,
};
