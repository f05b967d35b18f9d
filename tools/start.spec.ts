import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describeStack } from './start';
import { describeOffers, qrCaption } from './start-offers';
import { describeSettings, givenSettings } from './start-settings';
import { readAppConfigurations } from './docs/configuration-page';

const STACK = {
  managementUrl: 'http://127.0.0.1:49151',
  baseUrl: 'http://127.0.0.1:49152',
  issuerUrl: 'http://127.0.0.1:49152',
  databaseAdminUrl: 'postgres://vestibule:secret@127.0.0.1:5432/vestibule',
  natsUrl: 'nats://127.0.0.1:4222',
  dataFolder: '/var/data',
  logFile: '/var/data/log',
};

describe('17.12 what npm start prints', () => {
  it('has the address of the API reference, on the management listener', () => {
    const lines = describeStack(STACK, 'http://127.0.0.1:3000', 'http://127.0.0.1:8090').split('\n');
    expect(lines.find((line) => line.includes('API reference'))).toContain(' http://127.0.0.1:49151/docs ');
    expect(lines.filter((line) => line.includes('127.0.0.1:49152/docs'))).toEqual([]);
  });

  it('begins with the address of the console, where there is one', () => {
    const withConsole = describeStack(STACK, 'http://127.0.0.1:3000', 'http://127.0.0.1:8090');
    expect(withConsole).toMatch(/is running\.\n\n {2}console +http:\/\/127\.0\.0\.1:8090 /);
    expect(describeStack(STACK, 'http://127.0.0.1:3000')).not.toContain('console');
  });

  it('has the type and the issuer for EU wallets, and an offer of each that there is', () => {
    const offers = describeOffers('openid://a', 'openid://b');
    const printed = describeStack(STACK, 'http://127.0.0.1:3000', undefined, offers);
    expect(printed).toContain('eu-identity-card, and the issuer http://127.0.0.1:49152/eudi.');
    expect(printed).toMatch(/any wallet +openid:\/\/a\n +EU wallet +openid:\/\/b /);
    expect(describeOffers('openid://a', undefined)).not.toContain('EU wallet');
    expect(describeOffers(undefined, undefined)).toBe('');
  });

  it('says who can follow the QR code: no phone, while the address is that of this machine', () => {
    for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
      expect(qrCaption(url)).toContain('docs/phone.md');
    }
    for (const url of ['https://wallets.example', 'https://localhost.example']) {
      expect(qrCaption(url)).toContain('for a phone:');
    }
  });

  it('has no password', () => {
    expect(describeStack(STACK, 'http://127.0.0.1:3000')).not.toContain('secret@');
  });
});

describe('settings that a developer gives npm start', () => {
  const load = createRequire(__filename);
  const configurations = readAppConfigurations(
    (app) => load(path.resolve(__dirname, '../apps', app, 'src/config.ts')) as Readonly<Record<string, unknown>>,
  );
  const given = (environment: Readonly<Record<string, string>>) => givenSettings(environment, configurations);

  it('reach the services that read them, and no other', () => {
    const { byApp, passed, kept } = given({ BATCH_SIZE: '3', RETENTION_SECONDS: '60', HOME: '/root', API_DOCS: '' });
    expect(byApp.issuer).toEqual({ BATCH_SIZE: '3', RETENTION_SECONDS: '60' });
    expect([byApp.verifier, byApp.gateway]).toEqual([{ RETENTION_SECONDS: '60' }, {}]);
    expect([passed, kept]).toEqual([['BATCH_SIZE', 'RETENTION_SECONDS'], []]);
  });

  it('do not take the stack apart: what it sets itself is named', () => {
    const names = [
      'NATS_USER',
      'SEALING_KEYS_FILE',
      'HEALTH_PORT',
      'TRUST_FILE',
      'ISSUER_KEY',
      'MANAGEMENT_KEY_DIGESTS',
    ];
    const settings = given(Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(Object.values(settings.byApp)).toEqual([{}, {}, {}, {}]);
    expect(settings.kept).toEqual([...names].sort());
    expect(describeSettings(settings).join()).toMatch(
      /^in your environment, but set by the stack itself: HEALTH_PORT, /,
    );
  });

  it('are not those that npm start reads itself', () => {
    const own = {
      DATABASE_URL: 'x',
      NATS_URL: 'x',
      CALLBACK_URL: 'x',
      BASE_URL: 'x',
      PUBLIC_PORT: '1',
      LOG_LEVEL: 'info',
    };
    expect(describeSettings(given(own))).toEqual([]);
  });
});

describe('a program of tools/run.cjs that reads no arguments', () => {
  const isWithout = (file: string) => {
    const text = readFileSync(path.join(__dirname, file), 'utf8');
    return text.includes('function main(') && !/\bargv\b(?!:)/.test(text);
  };
  const files = ['.', 'proofs'].flatMap((folder) =>
    readdirSync(path.join(__dirname, folder)).map((name) => path.posix.join(folder, name)),
  );
  const programs = files.filter((file) => file.endsWith('.ts') && isWithout(file)).map((file) => file.slice(0, -3));

  it('is among others the one that deletes data', () => {
    expect(programs).toEqual(expect.arrayContaining(['reset', 'start', 'proofs/sweep']));
  });

  it.each(programs)('does nothing where it is given one: %s', (program) => {
    const argv = [path.join(__dirname, 'run.cjs'), program, '--help'];
    const env = { DATA_FOLDER: path.join(__dirname, 'no-data') };
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([2, expect.stringContaining(`usage: node tools/run.cjs ${program}\n`)]);
  });
});
