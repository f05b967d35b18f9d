import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfiguration, optionalVariable, variable } from './configuration';
import { configurationMarkdown, describeConfiguration } from './describe-configuration';
import { ConfigurationFault, findNearMisses, loadConfiguration } from './load-configuration';
import {
  choiceSetting,
  hostListSetting,
  integerSetting,
  keySetting,
  listSetting,
  portSetting,
  postgresUrlSetting,
  sealingKeysSetting,
  textSetting,
} from './settings';

const category = 'Test';
const definition = defineConfiguration({
  databaseUrl: variable('DATABASE_URL', postgresUrlSetting(), { category, description: 'where', secret: true }),
  port: variable('PUBLIC_PORT', portSetting(), { category, description: 'which', default: '8080' }),
  label: optionalVariable('LABEL', textSetting(), { category: 'Other', description: 'a | b' }),
});
const url = 'postgres://user:canary@host/db';

function faultsOf(environment: Record<string, string>): ConfigurationFault {
  try {
    loadConfiguration(definition, environment);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error;
  }
  throw new Error('no fault was found');
}

describe('loading the configuration', () => {
  it('gives typed, frozen values, with defaults and absent ones', () => {
    const configuration = loadConfiguration(definition, { DATABASE_URL: url, UNRELATED: 'x' });
    expect(configuration).toEqual({ databaseUrl: url, port: 8080, label: undefined });
    expect(Object.isFrozen(configuration)).toBe(true);
  });

  it('takes an empty value for an absent one', () => {
    expect(loadConfiguration(definition, { DATABASE_URL: url, PUBLIC_PORT: '', LABEL: '' })).toMatchObject({
      port: 8080,
      label: undefined,
    });
  });

  it('reports all faults together, by name and never by value', () => {
    const fault = faultsOf({ DATABASE_URL: 'mysql://canary', PUBLIC_PORT: '99999' });
    expect(fault).toMatchObject({ code: 'configuration_invalid' });
    expect(fault.faults.map((one) => one.path)).toEqual(['DATABASE_URL', 'PUBLIC_PORT']);
    expect(JSON.stringify(fault) + String(fault)).not.toMatch(/canary|99999/);
    expect(faultsOf({}).faults).toEqual([{ path: 'DATABASE_URL', message: 'is missing' }]);
  });

  it('refuses an environment in which Node.js accepts any certificate of any host', () => {
    const off = { DATABASE_URL: url, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(faultsOf(off).faults.map((one) => one.path)).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED']);
    // Not MANAGEMENT_CLIENT_CA_FILE: whom that authority certifies may manage.
    const named = /EGRESS_CA_FILE, CALLBACK_CA_FILE, NATS_CA_FILE and DATABASE_CA_FILE, [^_]+ in NODE_EXTRA_CA_CERTS$/;
    expect(faultsOf(off).faults[0]?.message).toMatch(named);
    expect(faultsOf({ ...off, PUBLIC_PORT: 'x' }).faults).toHaveLength(2);
    expect(() => loadConfiguration(definition, { ...off, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).not.toThrow();
  });

  it('does not show a sentence of a schema that quotes the value', () => {
    const quoting = textSetting().superRefine((text, context) => {
      context.addIssue({ code: 'custom', message: `${text} is odd` });
    });
    const odd = { one: variable('ONE', quoting, { category, description: '' }) };
    expect(() => loadConfiguration(odd, { ONE: 'canary' })).toThrow('ONE is not acceptable');
  });

  it.each([
    ['a number', integerSetting(60, 31_536_000), '3', 'must be an integer from 60 to 31536000'],
    ['a choice', choiceSetting(['off', 'soft-fail']), 'soft', 'must be one of off, soft-fail'],
    ['a comma', listSetting(), ',', 'must be a comma-separated list'],
    ['hosts', hostListSetting(), '/', 'must be a comma-separated list of hosts, each host or host:port'],
    ['a key', keySetting(), 'key', 'must be a base64url key of 32 bytes'],
  ])('says what %s must be, even if the sentence happens to hold the wrong value', (_what, schema, text, sentence) => {
    const one = variable<unknown>('ONE', schema, { category, description: '' });
    expect(() => loadConfiguration({ one }, { ONE: text })).toThrow(`ONE ${sentence}`);
  });

  describe('with secrets in files', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'configuration-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('reads NAME_FILE without the newline at its end', () => {
      const file = path.join(folder, 'url');
      writeFileSync(file, `${url}\n`);
      expect(loadConfiguration(definition, { DATABASE_URL_FILE: file }).databaseUrl).toBe(url);
    });

    it('refuses a file that cannot be read, and a secret that is set twice', () => {
      const missing = path.join(folder, 'missing');
      expect(faultsOf({ DATABASE_URL_FILE: missing }).faults).toEqual([
        { path: 'DATABASE_URL', message: `is in DATABASE_URL_FILE, but ${missing} cannot be read (ENOENT)` },
      ]);
      expect(faultsOf({ DATABASE_URL_FILE: folder }).message).toContain(`${folder} cannot be read (EISDIR)`);
      expect(faultsOf({ DATABASE_URL_FILE: '/x', DATABASE_URL: url }).faults).toEqual([
        { path: 'DATABASE_URL', message: 'is set twice: also as DATABASE_URL_FILE' },
      ]);
    });

    it.each(['canary', '/canary', 'postgres://user:canary@host/db', 'a/canary', '/x/canary+/=='])(
      'does not print NAME_FILE where it may be the secret itself: %s',
      (text) => {
        const { message } = faultsOf({ DATABASE_URL_FILE: text });
        expect(message).toContain('DATABASE_URL is in DATABASE_URL_FILE, but the file cannot be read (ENOENT)');
        expect(message).not.toContain('canary');
      },
    );

    it('has no NAME_FILE for what is no secret', () => {
      const file = path.join(folder, 'label');
      writeFileSync(file, 'x');
      expect(loadConfiguration(definition, { DATABASE_URL: url, LABEL_FILE: file }).label).toBeUndefined();
    });
  });

  it('notices variables that look like misspelt ones, unless the right one is set', () => {
    const found = findNearMisses(definition, { DATABSE_URL: 'x', DATABASE_URL_FIEL: 'x', PATH: 'x', HOSTNAME: 'x' });
    expect(found).toEqual([
      { name: 'DATABSE_URL', meant: 'DATABASE_URL' },
      { name: 'DATABASE_URL_FIEL', meant: 'DATABASE_URL_FILE' },
    ]);
    expect(findNearMisses(definition, { PUBLIC_PORTS: '1', PUBLIC_PORT: '2' })).toEqual([]);
  });
});

describe('defining a configuration', () => {
  it('refuses a default that its own schema refuses', () => {
    const wrong = { port: variable('PORT', portSetting(), { category, description: '', default: 'no' }) };
    expect(() => defineConfiguration(wrong)).toThrow(RangeError);
  });

  it('refuses malformed names and names that occur twice, also as NAME_FILE', () => {
    const text = (name: string, secret = false) => variable(name, textSetting(), { category, description: '', secret });
    expect(() => defineConfiguration({ a: text('lower') })).toThrow(RangeError);
    expect(() => defineConfiguration({ a: text('ONE'), b: text('ONE') })).toThrow(RangeError);
    expect(() => defineConfiguration({ a: text('ONE', true), b: text('ONE_FILE') })).toThrow(RangeError);
  });
});

describe('describing a configuration', () => {
  it('says for each variable its names, its default and whether it must be set', () => {
    expect(describeConfiguration(definition)).toEqual([
      {
        name: 'DATABASE_URL',
        names: ['DATABASE_URL', 'DATABASE_URL_FILE'],
        category,
        description: 'where',
        mandatory: true,
        secret: true,
      },
      {
        name: 'PUBLIC_PORT',
        names: ['PUBLIC_PORT'],
        category,
        description: 'which',
        default: '8080',
        mandatory: false,
        secret: false,
      },
      { name: 'LABEL', names: ['LABEL'], category: 'Other', description: 'a | b', mandatory: false, secret: false },
    ]);
  });

  it('writes one table for each category', () => {
    const markdown = configurationMarkdown(definition);
    expect(markdown).toContain('### Test\n\n| variable | default | meaning |');
    expect(markdown).toContain('| `DATABASE_URL` or `DATABASE_URL_FILE` | **required** | where |');
    expect(markdown).toContain('| `LABEL` |  | a \\| b |');
  });

  it('never shows the default of a secret', () => {
    const secret = {
      key: variable('KEY', textSetting(), { category, description: '', secret: true, default: 'canary' }),
    };
    expect(JSON.stringify(describeConfiguration(secret)) + configurationMarkdown(secret)).not.toContain('canary');
  });
});

it('the type of a configuration follows from its settings', () => {
  const typed = defineConfiguration({
    count: variable('COUNT', integerSetting(1, 9), { category, description: '' }),
    keys: optionalVariable('KEYS', sealingKeysSetting(), { category, description: '', secret: true }),
  });
  const { count, keys }: { count: number; keys: readonly Uint8Array[] | undefined } = loadConfiguration(typed, {
    COUNT: '3',
  });
  expect([count, keys]).toEqual([3, undefined]);
});
