import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { APP_NAMES, appEnvironment } from './app-environment';
import { ensureStackFiles } from './stack-files';
import { workspaceRoot } from './workspace-root';

describe('ensureStackFiles', () => {
  let folder: string;
  beforeEach(() => (folder = path.join(mkdtempSync(path.join(tmpdir(), 'vestibule-files-')), 'config')));
  afterEach(() => rmSync(path.dirname(folder), { recursive: true }));
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

  it('makes a PKI whose leaves chain to the trusted root, and everything readable for the owner only', async () => {
    await ensureStackFiles(folder, ['http://127.0.0.1:8080']);
    const root = new X509Certificate(read('root.pem'));
    for (const name of ['verifier.pem', 'issuer.pem']) {
      const [leaf, intermediate] = (read(name).match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map(
        (pem) => new X509Certificate(pem),
      ) as [X509Certificate, X509Certificate];
      expect(leaf.checkIssued(intermediate) && intermediate.checkIssued(root)).toBe(true);
    }
    expect(JSON.parse(read('trust.json'))).toEqual({
      policy: 'auto',
      anchors: [{ file: 'root.pem', purposes: ['credential', 'status'] }],
    });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(6);
    for (const { parentPath, name } of files) {
      expect(statSync(path.join(parentPath, name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('makes the sample types that docs/local-stack.md names, and no other', async () => {
    const page = readFileSync(path.join(workspaceRoot, 'docs/local-stack.md'), 'utf8');
    const [, section = ''] = /^## Two issuers\n([\s\S]*?)\n\n`config/m.exec(page) ?? [];
    await ensureStackFiles(folder, ['http://127.0.0.1:8080']);
    const types = readdirSync(path.join(folder, 'types')).map((name) => name.replace(/\.json$/, ''));
    const named = [...section.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name);
    expect([...new Set(named)].sort()).toEqual(types.filter((name) => name !== 'issuance').sort());
  });

  it('keeps everything on the next start, types that somebody changed included', async () => {
    const first = await ensureStackFiles(folder, ['http://127.0.0.1:8080']);
    const root = read('root.pem');
    writeFileSync(path.join(folder, 'types/mine.json'), '{}');
    const second = await ensureStackFiles(folder, ['http://127.0.0.1:9999']);
    expect(second.secrets).toEqual(first.secrets);
    expect(read('root.pem')).toBe(root);
    expect(read('types/mine.json')).toBe('{}');
  });

  it('adds the secrets that an older version did not make, and keeps the others', async () => {
    const { secrets } = await ensureStackFiles(folder, ['http://127.0.0.1:8080']);
    const { callbackSecret, ...older } = secrets;
    expect(callbackSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    writeFileSync(path.join(folder, 'secrets.json'), JSON.stringify(older));
    const again = await ensureStackFiles(folder, ['http://127.0.0.1:8080']);
    expect(again.secrets).toEqual({ ...older, callbackSecret: expect.stringMatching(/^whsec_/) as string });
    expect(JSON.parse(read('secrets.json'))).toEqual(again.secrets);
  });

  it('adds the sample types that an older version did not have, once, and tells their names', async () => {
    const urls = ['http://127.0.0.1:8080'];
    expect((await ensureStackFiles(folder, urls)).addedTypes).toEqual([]);
    for (const name of ['types/loyalty-card.json', 'given-samples.json']) rmSync(path.join(folder, name));
    expect((await ensureStackFiles(folder, urls)).addedTypes).toEqual(['loyalty-card']);
    expect(read('types/loyalty-card.json')).toContain('member');
    rmSync(path.join(folder, 'types/loyalty-card.json'));
    expect((await ensureStackFiles(folder, urls)).addedTypes).toEqual([]);
    expect(readdirSync(path.join(folder, 'types'))).not.toContain('loyalty-card.json');
  });

  it('adds no type whose issuer the settings of a folder lack, readable or not', async () => {
    const urls = ['http://127.0.0.1:8080'];
    await ensureStackFiles(folder, urls);
    for (const settings of ['{}', '{']) {
      for (const name of ['types/eu-identity-card.json', 'given-samples.json']) {
        rmSync(path.join(folder, name), { force: true });
      }
      writeFileSync(path.join(folder, 'types/issuance.json'), settings);
      expect((await ensureStackFiles(folder, urls)).addedTypes).toEqual([]);
    }
  });

  it('gives a stack that is thrown away a development key, and one that is kept a random one', async () => {
    const development = /^development-[\w-]{31}$/;
    const [kept, thrownAway] = [path.join(folder, 'kept'), path.join(folder, 'thrown-away')];
    const urls = ['http://127.0.0.1:8080'];
    expect((await ensureStackFiles(kept, urls)).secrets.sealingKey).not.toMatch(development);
    const files = await ensureStackFiles(thrownAway, urls, { thrownAway: true });
    expect(files.secrets.sealingKey).toMatch(development);
    expect(Buffer.from(files.secrets.sealingKey, 'base64url')).toHaveLength(32);
  });

  it('gives every app its environment, secrets only to those who need them', async () => {
    const files = await ensureStackFiles(folder, ['http://127.0.0.1:8080']);
    const settings = {
      natsUrl: 'nats://127.0.0.1:1',
      databaseUrls: { verifier: 'postgres://v', issuer: 'postgres://i', wallet_store: 'postgres://w' },
      baseUrl: 'http://127.0.0.1:8080',
      issuerUrl: 'http://127.0.0.1:8080',
      callbackUrl: 'http://127.0.0.1:3000',
      managementPort: 8081,
      publicPort: 8080,
      files,
    };
    const environments = APP_NAMES.map((app) => [app, JSON.stringify(appEnvironment(app, settings))] as const);
    const holders = (secret: string) => environments.filter(([, text]) => text.includes(secret)).map(([app]) => app);
    expect(holders('postgres://v')).toEqual(['verifier']);
    expect(holders(files.secrets.apiKey)).toEqual(['wallet-store']);
    expect(holders(files.secrets.sealingKey)).toEqual(['verifier', 'issuer', 'wallet-store']);
    expect(Buffer.from(files.secrets.sealingKey, 'base64url')).toHaveLength(32);
    expect(holders(files.secrets.callbackSecret)).toEqual([]);
    const signing = { ...settings, signsCallbacks: true, developmentHosts: ['127.0.0.1:8090'] };
    const signers = APP_NAMES.filter((app) => appEnvironment(app, signing)['CALLBACK_SECRETS'] !== undefined);
    expect(signers).toEqual(['verifier', 'issuer']);
    expect(appEnvironment('verifier', signing)['EGRESS_DEVELOPMENT_HOSTS']).toBe('127.0.0.1:8080,127.0.0.1:8090');
  });
});
