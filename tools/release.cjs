'use strict';
// usage: npm run release -- [patch|minor|major|<version>] [--dry-run]
// Nx determines the next version from the conventional commits since the last tag `v<version>` and lists them (`nx
// release`, configured in nx.json). The text under "Unreleased" becomes the introduction of the new section, because it
// says what integrators and operators have to do. Updates the version everywhere and CHANGELOG.md; commits, tags and
// publishes nothing.
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const FILE = 'CHANGELOG.md';
const UNRELEASED = '## Unreleased';
const VERSION_FILE = 'libs/core/foundation/src/version.ts';
const CHART_FILE = 'deploy/kubernetes/Chart.yaml';
const NOTHING = 'Nothing yet.';
const SPECIFIER = /^(?:patch|minor|major|\d+\.\d+\.\d+)$/;

/**
 * The changelog with a new section below "Unreleased": the heading of `generated`, the former text of "Unreleased",
 * then the lists of `generated`. Throws if there is not exactly one "Unreleased", or the version already has a section.
 */
function foldRelease(changelog, generated) {
  const [before, after, ...more] = changelog.split(`\n${UNRELEASED}\n`);
  if (after === undefined || more.length > 0) throw new Error(`${FILE} must have "${UNRELEASED}" exactly once`);
  const [heading, ...lists] = generated.trim().split('\n');
  const version = /^#{1,2} (\d+\.\d+\.\d+)/.exec(heading)?.[1];
  if (version === undefined) throw new Error(`Nx wrote no heading with a version: ${heading}`);
  if (changelog.includes(`\n## ${version} `) || changelog.includes(`\n## ${version}\n`))
    throw new Error(`${FILE} has a section for ${version} already`);
  const next = after.search(/^## /m);
  const written = (next === -1 ? after : after.slice(0, next)).trim();
  const older = next === -1 ? '' : after.slice(next);
  const section = [heading.replace(/^#+/, '##'), ...(written === '' || written === NOTHING ? [] : [written])];
  const body = lists.join('\n').trim();
  const parts = [UNRELEASED, NOTHING, ...section, ...(body === '' ? [] : [body])];
  return `${before.trimEnd()}\n\n${parts.join('\n\n')}\n${older === '' ? '' : `\n${older}`}`;
}

/** The version is also in the lock file, twice, in the program, and in the chart, twice. */
function writeVersion(root, version) {
  const change = (file, edit) => {
    const place = path.join(root, file);
    writeFileSync(place, edit(readFileSync(place, 'utf8')));
  };
  change('package-lock.json', (text) => {
    const lock = JSON.parse(text);
    lock.version = version;
    lock.packages[''].version = version;
    return `${JSON.stringify(lock, null, 2)}\n`;
  });
  change(VERSION_FILE, (text) => text.replace(/(VERSION = ')[^']+'/, `$1${version}'`));
  change(CHART_FILE, (text) => text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
}

/** The options of the command line. */
function parseRelease(argv) {
  const specifiers = argv.filter((argument) => argument !== '--dry-run');
  if (specifiers.length > 1 || !specifiers.every((one) => SPECIFIER.test(one))) return undefined;
  return { specifier: specifiers[0], dryRun: argv.includes('--dry-run') };
}

async function main(root, argv) {
  const asked = parseRelease(argv);
  if (!asked) {
    console.error('usage: npm run release -- [patch|minor|major|<version>] [--dry-run]');
    return 2;
  }
  const { ReleaseClient } = require('nx/release');
  const client = new ReleaseClient({});
  const quietly = { gitCommit: false, gitTag: false, gitPush: false, stageChanges: false };
  const { specifier, dryRun } = asked;
  const { workspaceVersion: version, projectsVersionData: versionData } = await client.releaseVersion({
    ...quietly,
    dryRun,
    ...(specifier === undefined ? {} : { specifier }),
  });
  if (!version) {
    console.log('nothing to release: no commit since the last tag requires a new version');
    return 0;
  }
  // Nx would insert a section at the top of the file, above its heading; so it only returns the text, and this program
  // writes it.
  const { workspaceChangelog } = await client.releaseChangelog({ ...quietly, dryRun: true, version, versionData });
  const file = path.join(root, FILE);
  const folded = foldRelease(readFileSync(file, 'utf8'), workspaceChangelog?.contents ?? '');
  if (!dryRun) {
    writeFileSync(file, folded);
    writeVersion(root, version);
  }
  const next = `run npm run docs, commit, and tag v${version}`;
  console.log(dryRun ? `would release ${version}` : `wrote ${version}: look at ${FILE}, ${next}`);
  return 0;
}

module.exports = { foldRelease, parseRelease };
if (require.main === module)
  main(path.join(__dirname, '..'), process.argv.slice(2)).then(
    // Nx leaves timers running.
    (code) => process.exit(code),
    (error) => {
      console.error(error.stack);
      process.exit(1);
    },
  );
