import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildTwice,
  changelogFaults,
  imageFaults,
  main,
  packageFaults,
  productionPackages,
  sbomOf,
} from './release-check.cjs';

const root = path.resolve(__dirname, '..');
const json = (file: string) =>
  JSON.parse(readFileSync(path.join(root, file), 'utf8')) as {
    packages: object;
    dependencies: object;
    devDependencies: object;
  };
const packages = productionPackages(json('package-lock.json'));
const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGES = { node: DIGEST, gateway: DIGEST, verifier: DIGEST, issuer: DIGEST, 'wallet-store': DIGEST };

describe('the production packages', () => {
  it('are those of package.json and below, with known licences, and no development weight', () => {
    const { dependencies, devDependencies } = json('package.json');
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(packageFaults(packages, Object.keys(devDependencies))).toEqual([]);
    for (const heavy of ['typescript', 'jest', 'nx', 'pkcs11js']) expect(names).not.toContain(heavy);
  });

  it.each<[string, object, RegExp]>([
    ['an unknown licence', { licence: 'GPL-3.0-only' }, /licence GPL-3\.0-only/],
    ['no licence', { licence: undefined }, /licence undefined/],
    ['no integrity', { integrity: undefined }, /no integrity/],
    ['the name of a development dependency', { name: 'jest' }, /development dependency/],
  ])('are refused with %s', (_what, change, message) => {
    const one = { name: 'a', version: '1.0.0', licence: 'MIT', integrity: 'sha512-AA==', ...change };
    expect(packageFaults([one], ['jest'])).toEqual([expect.stringMatching(message)]);
  });
});

describe('a release', () => {
  it('is refused without the digest of every image', () => {
    expect(imageFaults(IMAGES)).toEqual([]);
    expect(imageFaults(undefined)).toHaveLength(5);
    expect(imageFaults({ ...IMAGES, issuer: 'latest' })).toEqual([expect.stringContaining('issuer')]);
  });

  it('is refused without its section in the changelog', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\nNothing yet.\n\n## 1.2.0 (2026-12-01)\n\n- A.\n\n## 1.1.0\n\n';
    expect(changelogFaults(changelog, '1.2.0')).toEqual([]);
    expect(changelogFaults(changelog, '1.1.0')).toHaveLength(1);
    expect(changelogFaults(changelog, '1.3.0')).toHaveLength(1);
  });

  it('says every fault, and ends with 1; a wrong call ends with 2', () => {
    const said: string[] = [];
    const spy = jest.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text));
    try {
      expect([main(root, []), main(root, ['--image', 'x'])]).toEqual([1, 2]);
    } finally {
      spy.mockRestore();
    }
    for (const image of Object.keys(IMAGES)) expect(said[0]).toContain(`the image ${image} has no digest`);
  });

  it('has a bill of materials that names every package with its hash, and is the same each time', () => {
    const make = () => sbomOf('issuer', { version: '1.2.0', digest: DIGEST, packages });
    const sbom = make();
    expect(JSON.stringify(make())).toBe(JSON.stringify(sbom));
    expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.6']);
    expect(sbom.components.length).toBe(new Set(packages.map(({ name, version }) => `${name}@${version}`)).size);
    for (const { purl, hashes } of sbom.components) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d/);
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
  });

  it('is built twice, in folders of different names, with the same result', () => {
    const digests = buildTwice(root);
    expect(digests.length).toBeGreaterThan(500);
    expect(digests.some((line) => line.endsWith('apps/issuer/main.js'))).toBe(true);
  });
});
