'use strict';
// usage: node tools/run.cjs <program> [argument ...]
// <program>: the path below tools/ without .ts, e.g. demo or proofs/chaos
// Compiles everything and runs its `main`: main({ argv, environment, root }) => exit code (default 0).
var checks = require('./checks.cjs');

checks.checkInstallation();
checks.followNpm();
checks.forgetColours();

const { existsSync } = require('node:fs');
const path = require('node:path');

/** Programs that take no arguments: one that is given would look as if it counted, above all where data is deleted. */
const WITHOUT_ARGUMENTS = [
  'console',
  'contracts',
  'demo',
  'proofs/sweep',
  'proofs/wallet-store',
  'reset',
  'shop',
  'site',
  'start',
];

async function run(name, argv) {
  if (argv.length > 0 && WITHOUT_ARGUMENTS.includes(name)) {
    console.error(`usage: node tools/run.cjs ${name}\nIt takes no arguments, and has done nothing.`);
    return 2;
  }
  const file = path.join(checks.root, 'dist/tools', `${name}.js`);
  require('./build.cjs').build();
  if (!/^(?:proofs\/)?[a-z-]+$/.test(name) || !existsSync(file)) {
    console.error('usage: node tools/run.cjs <program>');
    return 2;
  }
  return (await require(file).main({ argv, environment: process.env, root: checks.root })) ?? 0;
}

/** An intended failure says everything in its message; for other errors the stack helps. */
function describe(error) {
  const onPurpose = typeof error?.code === 'string' && typeof error?.detail === 'string';
  return onPurpose ? `${error.detail} [${error.code}]` : (error?.stack ?? String(error));
}

run(process.argv[2] ?? '', process.argv.slice(3)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(`\n${process.argv[2]} failed: ${describe(error)}`);
    process.exit(1);
  },
);
