import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ProcessingFailure } from '@vestibule/foundation';
import { examine } from './doctor';
import { defineConfiguration } from './configuration';
import { type ConfigurationFault, loadConfiguration } from './load-configuration';
import { microserviceVariables } from './microservice-variables';
import { withSealingKeys, type SealingKeyDevices } from './sealing-keys';

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-sealing-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const raw = Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64url');
const wrapped = Buffer.from('vutsrqponmlkjihgfedcba9876543210');
const file = path.join(folder, 'sealing.json');
const never = new AbortController().signal;

function devicesThat(unwrap: (file: string) => Uint8Array) {
  const asked: string[] = [];
  const devices: SealingKeyDevices = {
    unwrap: async (name) => {
      asked.push(name);
      await Promise.resolve();
      return unwrap(name);
    },
    errors: { seal_broken: { remedy: 'see [keys.md](keys.md)' } },
  };
  return { devices, asked };
}
const keysOf = (environment: object) =>
  loadConfiguration({ keys: microserviceVariables.sealingKeys }, environment as Record<string, string>).keys;

describe('wrapped sealing keys', () => {
  it('stand among raw ones, in their order', async () => {
    const { devices, asked } = devicesThat(() => wrapped);
    const given = { OTHER: 'x', SEALING_KEYS: `${raw}, wrapped:${file}` };
    const environment = await withSealingKeys(given, devices, never);
    expect(keysOf(environment).map((key) => Buffer.from(key))).toEqual([Buffer.from(raw, 'base64url'), wrapped]);
    expect([environment['OTHER'], asked]).toEqual(['x', [file]]);
    expect(given.SEALING_KEYS).toContain('wrapped:');
  });

  it('may be in SEALING_KEYS_FILE', async () => {
    const list = path.join(folder, 'list');
    writeFileSync(list, `wrapped:${file},${raw}\n`);
    const environment = await withSealingKeys({ SEALING_KEYS_FILE: list }, devicesThat(() => wrapped).devices, never);
    expect(Buffer.from(keysOf(environment)[0] as Uint8Array)).toEqual(wrapped);
    expect(environment).not.toHaveProperty('SEALING_KEYS_FILE');
  });

  it.each<[string, Record<string, string>]>([
    ['raw keys', { SEALING_KEYS: raw }],
    ['no keys', {}],
    ['a variable that is set twice', { SEALING_KEYS: `wrapped:${file}`, SEALING_KEYS_FILE: file }],
    ['hosts that are not verified', { SEALING_KEYS: `wrapped:${file}`, NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
    ['a file that is not there', { SEALING_KEYS_FILE: path.join(folder, 'none') }],
  ])('%s: nothing is asked, and the configuration says what is wrong', async (_what, environment) => {
    const { devices, asked } = devicesThat(() => wrapped);
    expect(await withSealingKeys(environment, devices, never)).toBe(environment);
    expect(asked).toEqual([]);
  });

  it('a key of another length is none, whatever the device says', async () => {
    const environment = await withSealingKeys(
      { SEALING_KEYS: `wrapped:${file}` },
      devicesThat(() => wrapped.subarray(1)).devices,
      never,
    );
    expect(() => keysOf(environment)).toThrow(/SEALING_KEYS must be/);
  });

  it('nothing unwraps what has not been unwrapped', () => {
    expect(() => keysOf({ SEALING_KEYS: `wrapped:${file}` })).toThrow(/SEALING_KEYS must be/);
  });

  it('where no host is verified, only that is wrong with them', () => {
    const faultsOf = (keys: string) => {
      try {
        return keysOf({ SEALING_KEYS: keys, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
      } catch (error) {
        return (error as ConfigurationFault).faults?.map((one) => one.path);
      }
    };
    expect(faultsOf(`${raw},wrapped:${file}`)).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED']);
    expect(faultsOf('x')).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED', 'SEALING_KEYS']);
  });

  it('after a failure no other is asked for, and the failure says which key it is', async () => {
    const { devices, asked } = devicesThat(() => {
      throw new ProcessingFailure('seal_broken', 'the device is away');
    });
    const given = { SEALING_KEYS: `${raw},wrapped:${file},wrapped:${file}` };
    await expect(withSealingKeys(given, devices, never)).rejects.toMatchObject({
      code: 'seal_broken',
      detail: `SEALING_KEYS, key 2 (${file}): the device is away`,
    });
    expect(asked).toEqual([file]);
  });

  it('what may be a key in the wrong place is not shown', async () => {
    const { devices } = devicesThat(() => {
      throw new ProcessingFailure('seal_broken', 'it cannot be read');
    });
    await expect(withSealingKeys({ SEALING_KEYS: `wrapped:${raw}` }, devices, never)).rejects.toMatchObject({
      detail: 'SEALING_KEYS, key 1: it cannot be read',
    });
  });

  it('the doctor says what is wrong with one, and what to do', async () => {
    const { devices } = devicesThat(() => {
      throw new ProcessingFailure('seal_broken', 'the device is away');
    });
    const configuration = defineConfiguration({ keys: microserviceVariables.sealingKeys });
    const options = { configuration, checks: [], sealingKeyDevices: devices };
    const found = await examine(options, { SEALING_KEYS: `wrapped:${file}` }, () => new Date(0));
    expect(found).toEqual([
      {
        check: 'configuration',
        level: 'error',
        code: 'seal_broken',
        about: `SEALING_KEYS, key 1 (${file}): the device is away`,
        remedy: 'see docs/keys.md',
      },
    ]);
  });
});
