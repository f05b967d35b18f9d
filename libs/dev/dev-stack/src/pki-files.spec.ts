import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, developmentNames, toPem } from '@vestibule/dev-pki';
import { ensurePkiFiles } from './pki-files';

const NOW = new Date('2026-03-01T12:00:00Z');
const DAY = 86_400_000;
const after = (days: number) => new Date(NOW.getTime() + days * DAY);
const URLS = ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/issuer'];
const LEAF_DAYS = 3 * 365;

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pki-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const files = () => Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]));
const certificates = (name: string) =>
  (read(name).match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map((pem) => new X509Certificate(pem));
const leafOf = (name: string) => certificates(name)[0] as X509Certificate;

const LEAVES = ['verifier', 'issuer', 'issuer-access', 'wallet-provider'];

/** Every leaf is below a root of the file, has its key, and is for the addresses. */
function expectWhole(urls: readonly string[] = URLS): void {
  for (const name of LEAVES) {
    const [leaf, intermediate] = certificates(`${name}.pem`) as [X509Certificate, X509Certificate];
    expect(leaf.checkIssued(intermediate) && leaf.verify(intermediate.publicKey)).toBe(true);
    const isBelow = (root: X509Certificate) => intermediate.checkIssued(root) && intermediate.verify(root.publicKey);
    expect(certificates('root.pem').filter(isBelow)).toHaveLength(1);
    expect(leaf.checkPrivateKey(createPrivateKey(read(`${name}-key.pem`)))).toBe(true);
    for (const url of urls) expect(leaf.subjectAltName).toContain(`URI:${url}`);
  }
}

/** What a version left that kept no keys of authorities, and certified leaves for a year. */
async function formerFolder(urls = URLS): Promise<void> {
  const root = await createCertificateAuthority({ name: 'Vestibule Development Root', now: NOW, pathLength: 1 });
  const intermediate = await root.issueAuthority({ name: 'Vestibule Development CA', pathLength: 0 });
  write('root.pem', toPem(root.certificate));
  for (const name of ['verifier', 'issuer']) {
    const hosts = ['localhost', ...new Set(urls.map((url) => new URL(url).host))];
    const names = developmentNames({ hosts, uris: urls });
    const leaf = await intermediate.issue({ name: `Vestibule Development ${name}`, ...names });
    write(`${name}.pem`, toPem([leaf.certificate, intermediate.certificate]));
    write(`${name}-key.pem`, toPem(leaf.privateKey));
  }
  write('trust.json', '{"policy":"enforce","anchors":[{"file":"root.pem"}]}');
}

describe('a development PKI on the disk', () => {
  it('keeps the keys of its authorities, and lets nobody else read them', async () => {
    await ensurePkiFiles(folder, URLS, NOW);
    expectWhole();
    for (const name of ['root', 'intermediate', 'verifier', 'issuer']) {
      expect(leafOf(`${name}.pem`).checkPrivateKey(createPrivateKey(read(`${name}-key.pem`)))).toBe(true);
    }
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('has leaves for three years, and stays byte for byte as it is until thirty days before their end', async () => {
    await ensurePkiFiles(folder, URLS, NOW);
    expect(Date.parse(leafOf('issuer.pem').validTo)).toBe(after(LEAF_DAYS).getTime());
    const before = files();
    for (const days of [0, 1, 400, LEAF_DAYS - 31]) await ensurePkiFiles(folder, URLS, after(days));
    expect(files()).toEqual(before);
  });

  it.each([LEAF_DAYS - 30, LEAF_DAYS - 1, LEAF_DAYS + 1])(
    'renews leaves after %d days under their keys, and keeps root, intermediate and trust file',
    async (days) => {
      await ensurePkiFiles(folder, URLS, NOW);
      const before = files();
      await ensurePkiFiles(folder, URLS, after(days));
      const changed = Object.entries(files()).filter(([name, text]) => before[name] !== text);
      expect(changed.map(([name]) => name).sort()).toEqual(LEAVES.map((name) => `${name}.pem`).sort());
      expect(Date.parse(leafOf('issuer.pem').validTo)).toBe(after(days + LEAF_DAYS).getTime());
      expectWhole();
    },
  );

  it.each([
    ['another port', ['http://127.0.0.1:9999']],
    ['a public address', ['https://wallet.example', 'https://wallet.example/issuer']],
    ['one address less', ['http://127.0.0.1:8080']],
  ])('renews leaves for %s, and keeps root and intermediate', async (_what, urls) => {
    await ensurePkiFiles(folder, URLS, NOW);
    const [root, intermediate] = [read('root.pem'), read('intermediate.pem')];
    await ensurePkiFiles(folder, urls, after(1));
    expect([read('root.pem'), read('intermediate.pem')]).toEqual([root, intermediate]);
    expectWhole(urls);
    expect(leafOf('issuer.pem').subjectAltName?.includes('8080/issuer')).toBe(false);
  });

  it('never certifies beyond the end of an authority, and renews that in time', async () => {
    await ensurePkiFiles(folder, URLS, NOW);
    const tenYears = 3_650;
    await ensurePkiFiles(folder, URLS, after(tenYears - 200));
    expect(leafOf('issuer.pem').validTo).toBe(leafOf('intermediate.pem').validTo);
    const [former] = certificates('root.pem') as [X509Certificate];
    await ensurePkiFiles(folder, URLS, after(tenYears - 29));
    expectWhole();
    expect(certificates('root.pem').map(({ fingerprint256 }) => fingerprint256)).toEqual([
      leafOf('root.pem').fingerprint256,
      former.fingerprint256,
    ]);
    expect(leafOf('root.pem').fingerprint256).not.toBe(former.fingerprint256);
    await ensurePkiFiles(folder, ['http://127.0.0.1:9999'], after(tenYears + 1));
    expect(certificates('root.pem')).toHaveLength(2);
  });
});

describe('a folder of a version that kept no keys of authorities', () => {
  it('keeps its leaves while they are good, and gets those that it lacks below a new root', async () => {
    await formerFolder();
    const before = files();
    await ensurePkiFiles(folder, URLS, after(334));
    const kept = ['verifier', 'issuer'].flatMap((name) => [`${name}.pem`, `${name}-key.pem`]);
    for (const name of kept) expect(read(name)).toBe(before[name]);
    expect(certificates('root.pem')).toHaveLength(2);
    expectWhole();
  });

  it.each([
    ['end soon', URLS, 336],
    ['are for other addresses', ['http://127.0.0.1:9999'], 1],
  ])(
    'gets a new root beside the former one when its leaves %s, and keeps keys and trust file',
    async (_w, urls, days) => {
      await formerFolder();
      const [former] = certificates('root.pem') as [X509Certificate];
      const before = files();
      await ensurePkiFiles(folder, urls, after(days));
      expectWhole(urls);
      expect(certificates('root.pem').map(({ fingerprint256 }) => fingerprint256)).toContain(former.fingerprint256);
      for (const name of ['issuer-key.pem', 'verifier-key.pem', 'trust.json']) expect(read(name)).toBe(before[name]);
      const after1 = files();
      await ensurePkiFiles(folder, urls, after(days + 1));
      expect(files()).toEqual(after1);
    },
  );
});

describe('a folder that was damaged is made whole again', () => {
  const remove = (name: string) => rmSync(path.join(folder, name));
  it.each<readonly [string, () => void, boolean]>([
    ['without the key of the intermediate', () => remove('intermediate-key.pem'), true],
    ['without the key of the root', () => remove('root-key.pem'), false],
    ['with an intermediate that is none', () => write('intermediate.pem', 'nothing'), true],
    ['with the key of somebody else', () => write('intermediate-key.pem', read('issuer-key.pem')), true],
    ['with a root that is half written', () => write('root.pem', read('root.pem').slice(0, 300)), false],
  ])('%s', async (_what, damage, keepsRoot) => {
    await ensurePkiFiles(folder, URLS, NOW);
    const root = leafOf('root.pem').fingerprint256;
    damage();
    await ensurePkiFiles(folder, ['http://127.0.0.1:9999'], after(1));
    expectWhole(['http://127.0.0.1:9999']);
    expect(leafOf('root.pem').fingerprint256 === root).toBe(keepsRoot);
  });

  it.each(['issuer.pem', 'issuer-key.pem', 'verifier.pem', 'verifier-key.pem', 'trust.json'])(
    'without %s',
    async (name) => {
      await ensurePkiFiles(folder, URLS, NOW);
      const root = read('root.pem');
      remove(name);
      await ensurePkiFiles(folder, URLS, NOW);
      expectWhole();
      expect([read('root.pem'), JSON.parse(read('trust.json'))]).toEqual([
        root,
        { policy: 'auto', anchors: [{ file: 'root.pem', purposes: ['credential', 'status'] }] },
      ]);
    },
  );
});
