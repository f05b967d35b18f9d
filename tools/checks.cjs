'use strict';
// What every command checks first. Written so that old versions of Node can still read it.
var fs = require('node:fs');
var path = require('node:path');

var root = path.resolve(__dirname, '..');
var OLDEST = [20, 19];

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Ends the process with a clear message when Node is too old. */
function checkNode() {
  var version = process.versions.node.split('.').map(Number);
  if (version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1])) {
    fail('Node ' + process.versions.node + ' is too old: Vestibule needs ' + OLDEST.join('.') + ' or newer.');
  }
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

module.exports = { checkInstallation: checkInstallation, checkNode: checkNode, followNpm: followNpm, root: root };
