'use strict';
// usage: node tools/test.cjs [jest argument ...]
// All tests: unit, integration and end-to-end. The set-up of the last two says which Postgres and which NATS it uses.
var checks = require('./checks.cjs');

checks.checkInstallation();
checks.followNpm();

// The end-to-end tests start the compiled apps.
require('./build.cjs').build();
// Jest sets the exit code itself.
void require('jest').run(process.argv.slice(2));
