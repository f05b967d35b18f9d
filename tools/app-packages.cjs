'use strict';
// usage: node tools/app-packages.cjs (after a build; prints the file that apps load first)
// Most of the processor time that an app takes to start goes into finding and compiling a thousand files of packages and
// four hundred of its own. For the apps that Jest starts, the packages that the product imports are put into one file, and
// its own files into another, both with V8's cache of their compiled code; each own file stays a module of its own under
// its own name. Programs (`npm start`, the demo, the proofs) load everything as production does, unless TEST_APP_PACKAGES
// names that file.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const LOADER = path.join(__dirname, 'app-packages-loader.cjs');
/** What the apps consist of. */
const PRODUCT = ['apps', 'libs/core', 'libs/platform'];
const REQUIRED = /\brequire\("([^"]+)"\)/g;
const dist = path.join(root, 'dist');

const requiredBy = (text) => [...text.matchAll(REQUIRED)].map(([, name]) => name);

/** The compiled files of the product: path below dist and text. */
function readProduct() {
  const names = PRODUCT.flatMap((folder) =>
    readdirSync(path.join(dist, folder), { recursive: true }).map((name) => path.join(folder, name)),
  );
  return names
    .filter((name) => name.endsWith('.js'))
    .sort()
    .map((name) => [name, readFileSync(path.join(dist, name), 'utf8')]);
}

/** Every name by which the compiled product requires a package. */
function requiredPackages(files = readProduct()) {
  const names = new Set(files.flatMap(([, text]) => requiredBy(text)));
  return [...names].filter((name) => !name.startsWith('.') && !isBuiltin(name)).sort();
}

const APP_MAIN = /^apps\/[^/]+\/src\/main\.js$/;
/** The text of all files after one another, where each is in it, what the `main` of each app requires, and the packages. */
function describeProduct(files, packages) {
  // All others would need another encoding; they are loaded as usual.
  const plain = files.filter(([, text]) => /^[\0-\x7f]*$/.test(text) && !text.startsWith('#!'));
  let size = 0;
  const places = plain.map(([name, text]) => [name, [size, (size += text.length)]]);
  const mains = files.filter(([name]) => APP_MAIN.test(name));
  const entries = mains.flatMap(([name, text]) =>
    requiredBy(text)
      .filter((required) => required.startsWith('.'))
      .map((required) => path.join(path.dirname(name), required)),
  );
  const description = { root: dist, packages, entries, files: Object.fromEntries(places) };
  return { text: plain.map(([, text]) => text).join(''), description: JSON.stringify(description) };
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

const sourcesOfAll = [__filename, LOADER, path.join(root, 'package-lock.json')];
/** A folder of its own for what is made of all this; `fill` puts it there unless that was done before. */
async function madeOf(kind, parts, fill) {
  const digest = createHash('sha256').update([process.version, process.arch, ...parts].join('\0'));
  for (const file of sourcesOfAll) digest.update(readFileSync(file));
  const folder = path.join(dist, 'app-packages', `${kind}-${digest.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  await fill(partial);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * Puts the compiled product and its packages into two files, unless that was done before. Resolves to the file that an app
 * must load first (`node --require`).
 */
async function bundlePackages() {
  const files = readProduct();
  const names = requiredPackages(files);
  const packages = await madeOf('packages', names, (folder) => write(names, path.join(folder, 'packages.cjs')));
  const { text, description } = describeProduct(files, path.join(packages, 'packages.cjs'));
  const folder = await madeOf('product', [packages, description, text], (place) => {
    writeFileSync(path.join(place, 'product.txt'), text);
    writeFileSync(path.join(place, 'product.json'), description);
    copyFileSync(LOADER, path.join(place, 'loader.cjs'));
    execFileSync(process.execPath, [path.join(place, 'loader.cjs')]);
  });
  return path.join(folder, 'loader.cjs');
}

module.exports = { bundlePackages, requiredPackages };

if (require.main === module) void bundlePackages().then((loader) => console.log(loader));
