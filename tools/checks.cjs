'use strict';
// What every command checks first. Written so that old versions of Node can still read it.
var fs = require('node:fs');
var path = require('node:path');

var root = path.resolve(__dirname, '..');
var VERSIONS = require('../package.json').engines.node;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Is a version at or above one floor of a range: `^20.20.2` (of that major only) or `>=25.8.2`? */
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

/** Is a version of Node one that `engines` of package.json names? */
function isSupported(version) {
  return VERSIONS.split(' || ').some(function (floor) {
    return satisfies(version, floor);
  });
}

/** Ends the process with a clear message when Node is too old. */
function checkNode() {
  if (isSupported(process.versions.node)) return;
  fail(
    'Node ' +
      process.versions.node +
      ' does not do: Vestibule needs ' +
      VERSIONS +
      '. Older ones can be stopped by' +
      ' a body of a few hundred kilobytes (CVE-2026-21717).',
  );
}

/** The same, also when `npm ci` was not run. */
function checkInstallation() {
  checkNode();
  if (!fs.existsSync(path.join(root, 'node_modules/@swc/core'))) {
    fail('The packages are not installed: run "npm ci" in ' + root + ' first.');
  }
}

/** npm passes a SIGTERM on to its shell only: when npm is gone, this process ends as if it had got the signal itself. */
function followNpm() {
  if (!process.env.npm_lifecycle_event) return;
  var parent = process.ppid;
  var timer = setInterval(function () {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

module.exports = {
  checkInstallation: checkInstallation,
  checkNode: checkNode,
  followNpm: followNpm,
  isSupported: isSupported,
  root: root,
};
