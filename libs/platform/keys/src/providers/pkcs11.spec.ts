import { generateKeyPairSync, publicEncrypt, randomBytes, constants, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sealingKeyMark, verifyEs256 } from '@vestibule/crypto';
import { createSoftHsm, describeWithSoftHsm, type SoftHsm } from '@vestibule/testkit';
import { parseKeyDescription, type Described } from '../description';
import type { RemoteKey } from '../device';
import { createSealingKeyDevices } from '../sealing-keys';
import { compilePkcs11Program } from '../testing/compiled-program.fixture-spec';
import { openPkcs11Key } from './pkcs11';

const LONG = 20_000;
const soon = () => AbortSignal.timeout(LONG);
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }) as string;
const INPUT = Buffer.from('what is signed');

describeWithSoftHsm('a key in a PKCS#11 device', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pkcs11-'));
  const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sealing = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const opened: RemoteKey[] = [];
  let hsm: SoftHsm;
  let program: string;

  beforeAll(() => {
    program = compilePkcs11Program(folder);
    hsm = createSoftHsm();
    // eslint-disable-next-line no-restricted-properties -- the library of the device reads it
    Object.assign(process.env, hsm.environment);
    hsm.importKey(pem(signing.privateKey), 'issuer', '01');
    hsm.importKey(pem(sealing.privateKey), 'sealing', '02');
    hsm.importKey(pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), 'twin', '03');
    hsm.importKey(pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), 'twin', '04');
  });
  afterEach(async () => {
    for (const key of opened.splice(0)) await key.close();
  });
  afterAll(() => {
    hsm.remove();
    rmSync(folder, { recursive: true });
  });

  function open(label = 'issuer', more: object = {}, by = program): RemoteKey {
    const key = openPkcs11Key(parseKeyDescription(hsm.describe(label, more)) as Described<'pkcs11'>, by);
    opened.push(key);
    return key;
  }

  it('VCI:V23 signs with R and S, many at a time on few sessions', async () => {
    const key = open('issuer', { concurrency: 3 });
    const inputs = Array.from({ length: 40 }, () => randomBytes(50));
    const signatures = await Promise.all(inputs.map((input) => key.sign(input, soon())));
    const isRight = inputs.map((input, index) =>
      verifyEs256(signing.publicKey, input, signatures[index] as Uint8Array),
    );
    expect(isRight).toEqual(inputs.map(() => true));
  });

  it('survives many threads of its library: it is told that there are some', async () => {
    const key = open();
    await key.sign(INPUT, soon());
    const signatures = await Promise.all(Array.from({ length: 500 }, () => key.sign(INPUT, soon())));
    expect(signatures.filter((one) => verifyEs256(signing.publicKey, INPUT, one))).toHaveLength(500);
  });

  it('shows its public key, and is found by its id, too', async () => {
    const { object: _label, ...byId } = JSON.parse(hsm.describe('issuer', { id: '01' })) as Record<string, unknown>;
    const key = openPkcs11Key(parseKeyDescription(JSON.stringify(byId)) as Described<'pkcs11'>, program);
    opened.push(key);
    expect((await key.readPublicKey(soon())).equals(signing.publicKey)).toBe(true);
  });

  it('shows its public key if only the id of the two halves is the same, and none without it', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    hsm.importKey(pem(pair.privateKey), 'halves', '05');
    hsm.changePublic('05', { label: 'public half' });
    expect((await open('halves').readPublicKey(soon())).equals(pair.publicKey)).toBe(true);
    hsm.changePublic('05', { id: '06' });
    await expect(open('halves').readPublicKey(soon())).rejects.toThrow('public_key_not_found');
  });

  it('unwraps a sealing key (RSA-OAEP)', async () => {
    const plain = randomBytes(32);
    const padding = { key: sealing.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
    const wrapped = publicEncrypt(padding, plain);
    expect(Buffer.from(await open('sealing').unwrap(wrapped, soon())).equals(plain)).toBe(true);
  });

  it('unwraps a key of SEALING_KEYS by its file, and closes its process', async () => {
    const plain = randomBytes(32);
    const padding = { key: sealing.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
    const file = path.join(folder, 'sealing.json');
    const device = JSON.parse(hsm.describe('sealing')) as object;
    const wrapped = publicEncrypt(padding, plain).toString('base64');
    writeFileSync(file, JSON.stringify({ wrapped, mark: sealingKeyMark(plain), device }));
    const { unwrap } = createSealingKeyDevices((described) => openPkcs11Key(described as Described<'pkcs11'>, program));
    expect(Buffer.from(await unwrap(file, soon())).equals(plain)).toBe(true);
    writeFileSync(file, JSON.stringify({ wrapped: wrapped.slice(4), mark: sealingKeyMark(plain), device }));
    await expect(unwrap(file, soon())).rejects.toMatchObject({ code: 'sealing_key_unavailable' });
  });

  it.each<[string, string, object]>([
    ['an unknown key', 'nobody', {}],
    ['two keys with its label', 'twin', {}],
    ['an unknown token', 'issuer', { token: 'elsewhere' }],
    ['a library that is none', 'issuer', { module: '/etc/hostname' }],
  ])('fails for %s', async (_what, label, more) => {
    await expect(open(label, more).sign(INPUT, soon())).rejects.toThrow(/PKCS#11 device failed/);
  });

  it('sends a PIN that was refused only once, until there is another: a token locks itself', async () => {
    const pinFile = path.join(folder, 'pin');
    writeFileSync(pinFile, 'wrong');
    const key = open('issuer', { pinFile });
    await expect(key.sign(INPUT, soon())).rejects.toThrow('CKR_PIN_INCORRECT');
    await expect(key.sign(INPUT, soon())).rejects.toThrow('refused this PIN');
    writeFileSync(pinFile, hsm.pin);
    expect(verifyEs256(signing.publicKey, INPUT, await key.sign(INPUT, soon()))).toBe(true);
  });

  it('a device that hangs is given up in time, and the next call begins anew', async () => {
    const switchFile = path.join(folder, 'hangs');
    writeFileSync(switchFile, '');
    // The program, with calls that never return while a file says so.
    const hanging = path.join(folder, 'hanging.cjs');
    const hang = `const { existsSync } = require('node:fs'); const once = process.on.bind(process);
      process.on = (name, listener) => once(name, name !== 'message' ? listener : (message) => {
        if ('order' in message) while (existsSync(${JSON.stringify(switchFile)}));
        listener(message);
      });\n`;
    writeFileSync(hanging, `${hang}require(${JSON.stringify(program)});`);
    const key = open('issuer', {}, hanging);
    await expect(key.sign(INPUT, AbortSignal.timeout(2_000))).rejects.toThrow(/PKCS#11 device failed|aborted/);
    rmSync(switchFile);
    expect(verifyEs256(signing.publicKey, INPUT, await key.sign(INPUT, soon()))).toBe(true);
  });

  it('a process that dies takes the calls with it, and the next one begins anew', async () => {
    const dying = path.join(folder, 'dying.cjs');
    const mark = path.join(folder, 'died');
    const die = `const fs = require('node:fs'); const once = process.on.bind(process);
      process.on = (name, listener) => once(name, name !== 'message' ? listener : (message) => {
        if ('order' in message && !fs.existsSync(${JSON.stringify(mark)})) { fs.writeFileSync(${JSON.stringify(mark)}, ''); process.kill(process.pid, 'SIGKILL'); }
        listener(message);
      });\n`;
    writeFileSync(dying, `${die}require(${JSON.stringify(program)});`);
    const key = open('issuer', {}, dying);
    await expect(key.sign(INPUT, soon())).rejects.toThrow('the end of its process');
    expect(verifyEs256(signing.publicKey, INPUT, await key.sign(INPUT, soon()))).toBe(true);
  });

  it('says that the package is missing where it is', async () => {
    const lost = path.join(folder, 'lost.cjs');
    writeFileSync(
      lost,
      `const Module = require('node:module'); const load = Module._load;
      Module._load = (name, ...rest) => {
        if (name === 'pkcs11js') throw Object.assign(new Error(), { code: 'MODULE_NOT_FOUND' });
        return load(name, ...rest);
      };
      require(${JSON.stringify(program)});`,
    );
    await expect(open('issuer', {}, lost).sign(INPUT, soon())).rejects.toMatchObject({ code: 'key_package_missing' });
  });
});
