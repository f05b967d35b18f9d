'use strict';
// usage: npm run release:check -- --images <file> [--out <folder>]
// Makes what a release needs, or says why there must be none: dist is built twice and compared, the production packages
// have known licences and integrity, the changelog has a section for the version, and every image has a digest. `--images` names a
// JSON file: {"node": "sha256:…", "gateway": "sha256:…", …}, the digests of the base image and of the four images. Writes, to
// dist/release or the folder of `--out`, an SBOM (CycloneDX 1.6) per image, licences.txt, provenance.json and SHA256SUMS.
const { createHash } = require('node:crypto');
const { execFileSync } = require('node:child_process');
const {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

const IMAGES = ['gateway', 'verifier', 'issuer', 'wallet-store'];
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Licences that may be shipped without further thought; others need an entry below. */
const LICENCES = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'Python-2.0',
  'BSD-3-Clause AND W3C',
]);
/** Packages whose manifest names no licence of SPDX, and the one that their text is. */
const READ = new Map([['@digitalbazaar/credentials-context', 'BSD-3-Clause AND W3C']]);
/** Files that the compiler writes are the same wherever it runs. */
const SOURCES = ['apps', 'libs', 'tools', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const nameOf = (at) => at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** What `npm ci --omit=dev` installs, by the lock file, in the order of their places. */
function productionPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([at, { dev, devOptional, link }]) => at !== '' && !dev && !devOptional && !link)
    .map(([at, { version, license, integrity }]) => {
      const name = nameOf(at);
      return { name, version, licence: READ.get(name) ?? license, integrity };
    })
    .sort((one, other) => `${one.name}@${one.version}`.localeCompare(`${other.name}@${other.version}`));
}

/** Why the production packages must not be shipped. */
function packageFaults(packages, developmentNames) {
  const faults = [];
  for (const { name, version, licence, integrity } of packages) {
    if (!integrity) faults.push(`${name}@${version} has no integrity in the lock file`);
    if (!LICENCES.has(licence))
      faults.push(`${name}@${version} has the licence ${licence}: judge it in tools/release-check.cjs`);
    if (developmentNames.includes(name)) faults.push(`${name} is a development dependency, and production installs it`);
  }
  return faults;
}

/** Why the images must not be released. */
function imageFaults(digests) {
  return ['node', ...IMAGES]
    .filter((name) => !DIGEST.test(digests?.[name] ?? ''))
    .map((name) => `the image ${name} has no digest (sha256:…): build it, and name its digest in the file of --images`);
}

/** Why the changelog does not fit the version: it has no section with text. */
function changelogFaults(changelog, version) {
  const [, section] = changelog.split(new RegExp(`^## ${version.replaceAll('.', '\\.')}(?: .*)?$`, 'm'));
  const text = section?.split(/^## /m, 1)[0].trim();
  return text ? [] : [`CHANGELOG.md has no section for ${version}: run npm run release`];
}

function purl({ name, version }) {
  const [scope, base] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return `pkg:npm/${scope === undefined ? '' : `${scope.replace('@', '%40')}/`}${base}@${version}`;
}

/** A CycloneDX document of one image; nothing in it depends on when or where it was made. */
function sbomOf(image, { version, digest, packages }) {
  const components = [...new Map(packages.map((one) => [purl(one), one])).values()].map((one) => {
    const [algorithm, value] = one.integrity.split('-');
    const content = Buffer.from(value, 'base64').toString('hex');
    return {
      type: 'library',
      'bom-ref': purl(one),
      name: one.name,
      version: one.version,
      purl: purl(one),
      hashes: [{ alg: algorithm === 'sha512' ? 'SHA-512' : 'SHA-1', content }],
      licenses: [one.licence.includes(' ') ? { expression: one.licence } : { license: { id: one.licence } }],
    };
  });
  const component = {
    type: 'container',
    'bom-ref': `vestibule/${image}`,
    name: `vestibule/${image}`,
    version,
    hashes: [{ alg: 'SHA-256', content: digest.slice('sha256:'.length) }],
    licenses: [{ license: { id: 'Apache-2.0' } }],
  };
  const dependencies = [{ ref: component['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) }];
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components, dependencies };
}

function* filesBelow(folder, below = '') {
  for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) yield* filesBelow(folder, name);
    else yield name;
  }
}

/** A digest of every file of a folder, with its name. */
const digestsOf = (folder) =>
  [...filesBelow(folder)].map((file) => `${sha256(readFileSync(path.join(folder, file)))}  ${file}`);

/** Builds the sources in a folder of their own, and returns the digests of what came out. */
function buildApart(root, folder) {
  mkdirSync(folder);
  for (const source of SOURCES)
    cpSync(path.join(root, source), path.join(folder, source), {
      recursive: true,
      filter: (file) => path.basename(file) !== 'node_modules' && path.basename(file) !== 'dist',
    });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  execFileSync(process.execPath, [path.join(folder, 'tools/build.cjs')], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return digestsOf(path.join(folder, 'dist'));
}

/** The digests of dist, built twice in folders with different names; throws if they differ. */
function buildTwice(root) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-release-'));
  try {
    const [first, second] = ['one', 'another-name'].map((name) => buildApart(root, path.join(folder, name)));
    const differing = first.filter((line) => !second.includes(line));
    if (first.length !== second.length || differing.length > 0)
      throw new Error(`two builds differ, first in: ${differing[0]?.split('  ')[1]}`);
    return first;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const git = (root, ...argv) => execFileSync('git', argv, { cwd: root, encoding: 'utf8' }).trim();

function writeAll(out, files) {
  mkdirSync(out, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(out, name), text);
  const sums = Object.entries(files).map(([name, text]) => `${sha256(text)}  ${name}\n`);
  writeFileSync(path.join(out, 'SHA256SUMS'), sums.join(''));
}

/** Every artifact by its name; throws with all faults. */
function artifactsOf(root, digests) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const lockText = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const packages = productionPackages(JSON.parse(lockText));
  const faults = [
    ...imageFaults(digests),
    ...packageFaults(packages, Object.keys(manifest.devDependencies)),
    ...changelogFaults(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), manifest.version),
    ...(git(root, 'status', '--porcelain') === '' ? [] : ['the working tree has changes that are not committed']),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const dist = buildTwice(root);
  const { version } = manifest;
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    ...Object.fromEntries(
      IMAGES.map((image) => [`${image}.cdx.json`, json(sbomOf(image, { version, digest: digests[image], packages }))]),
    ),
    'licences.txt': packages.map(({ name, version: own, licence }) => `${name}@${own}  ${licence}\n`).join(''),
    'dist.sha256': `${dist.join('\n')}\n`,
    'provenance.json': json({
      version,
      commit: git(root, 'rev-parse', 'HEAD'),
      node: process.version,
      lockFile: sha256(lockText),
      dist: sha256(dist.join('\n')),
      builds: 2,
      images: digests,
    }),
  };
}

function parse(argv) {
  const options = {};
  for (let at = 0; at < argv.length; at += 2) {
    const name = { '--images': 'images', '--out': 'out' }[argv[at]];
    if (name === undefined || argv[at + 1] === undefined) return undefined;
    options[name] = argv[at + 1];
  }
  return options;
}

function main(root, argv) {
  const options = parse(argv);
  if (!options) {
    console.error('usage: npm run release:check -- --images <file> [--out <folder>]');
    return 2;
  }
  try {
    const isThere = options.images !== undefined && existsSync(options.images);
    const digests = isThere ? JSON.parse(readFileSync(options.images, 'utf8')) : {};
    const artifacts = artifactsOf(root, digests);
    const out = path.resolve(root, options.out ?? 'dist/release');
    writeAll(out, artifacts);
    console.log(
      `${Object.keys(artifacts).length + 1} files in ${path.relative(root, out)}; sign them as docs/release.md says`,
    );
    return 0;
  } catch (error) {
    console.error(`no release:\n${error.message}`);
    return 1;
  }
}

module.exports = { buildTwice, changelogFaults, imageFaults, main, packageFaults, productionPackages, sbomOf };

if (require.main === module) process.exitCode = main(path.resolve(__dirname, '..'), process.argv.slice(2));
