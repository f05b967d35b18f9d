'use strict';
// usage: node tools/app-packages.cjs (after a build; prints the file that apps load first)
// Four fifths of the processor time that an app takes to start go into finding and compiling a thousand files of packages.
// For the apps that Jest starts, the packages that the product imports are put into one file, with V8's cache of its
// compiled code. The code of the product itself is loaded as usual. Programs (`npm start`, the demo, the proofs) load
// packages as production does, unless TEST_APP_PACKAGES names that file.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const LOADER = path.join(__dirname, 'app-packages-loader.cjs');
/** What the apps consist of. */
const PRODUCT = ['apps', 'libs/core', 'libs/platform'];
const REQUIRED = /\brequire\("([^".][^"]*)"\)/g;

/** Every name by which the compiled product requires a package. */
function requiredPackages() {
  const found = new Set();
  for (const folder of PRODUCT) {
    const place = path.join(root, 'dist', folder);
    for (const file of readdirSync(place, { recursive: true }).filter((name) => name.endsWith('.js'))) {
      for (const [, name] of readFileSync(path.join(place, file), 'utf8').matchAll(REQUIRED)) found.add(name);
    }
  }
  return [...found].filter((name) => !isBuiltin(name)).sort();
}

/** What a package tries to load and is not installed stays a `require`, which fails when the package tries it. */
const absentOnes = {
  name: 'absent-ones',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === absentOnes) return undefined;
      const { importer, kind, resolveDir } = from;
      const found = await build.resolve(name, { importer, kind, resolveDir, pluginData: absentOnes });
      // Found ones are left to esbuild, which then also knows the type of their modules.
      return found.errors.length === 0 ? undefined : { path: name, external: true };
    });
  },
};

function write(names, outfile) {
  const entries = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`);
  return require('esbuild').build({
    stdin: { contents: `module.exports = {${entries.join(', ')}};`, resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    target: `node${process.versions.node}`,
    format: 'cjs',
    // Exactly the conditions by which Node chooses a file.
    conditions: ['node-addons'],
    mainFields: ['main'],
    keepNames: true,
    legalComments: 'none',
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [absentOnes],
    logLevel: 'error',
  });
}

/**
 * Puts the packages of the compiled product into one file, unless that was done before. Resolves to the file that an app
 * must load first (`node --require`).
 */
async function bundlePackages() {
  const names = requiredPackages();
  const digest = createHash('sha256').update([process.version, process.arch, ...names].join('\0'));
  for (const file of [__filename, LOADER, path.join(root, 'package-lock.json')]) digest.update(readFileSync(file));
  const folder = path.join(root, 'dist/app-packages', digest.digest('hex').slice(0, 16));
  const loader = path.join(folder, 'loader.cjs');
  if (existsSync(loader)) return loader;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  copyFileSync(LOADER, path.join(partial, 'loader.cjs'));
  await write(names, path.join(partial, 'packages.cjs'));
  execFileSync(process.execPath, [path.join(partial, 'loader.cjs')]);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(loader)) throw error;
  }
  return loader;
}

module.exports = { bundlePackages, requiredPackages };

if (require.main === module) void bundlePackages().then((loader) => console.log(loader));
