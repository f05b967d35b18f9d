import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const workspaceRoot = path.resolve(__dirname, '../../../..');
/** Where `npm ci --prefix deploy/pkcs11` puts the optional package. */
const PACKAGES = path.join(workspaceRoot, 'deploy', 'pkcs11', 'node_modules');
const LIBRARIES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so'];
const library = LIBRARIES.find((file) => existsSync(file));

const available = library !== undefined && existsSync(path.join(PACKAGES, 'pkcs11js', 'build', 'Release'));
/**
 * `describe` if SoftHSM and the optional package are there; otherwise one skipped test that says how to get them, or an
 * error where SOFTHSM=required.
 */
export function describeWithSoftHsm(title: string, body: () => void): void {
  // eslint-disable-next-line no-restricted-properties -- a test switch, not configuration of the program
  if (!available && process.env['SOFTHSM'] === 'required')
    throw new Error('softhsm2 or deploy/pkcs11/node_modules is missing, and SOFTHSM=required');
  if (available) describe(title, body);
  else it.skip(`${title}: skipped (install softhsm2, and run npm ci --prefix deploy/pkcs11)`, () => undefined);
}

/** A program, because the library reads its configuration from the environment of its process. */
const CHANGE_PUBLIC = `
  const [module, pin, token, id, change] = process.argv.slice(1);
  const { label, id: nextId } = JSON.parse(change);
  const p11 = require('pkcs11js');
  const library = new p11.PKCS11();
  library.load(module);
  library.C_Initialize();
  const slot = library.C_GetSlotList(true).find((one) => library.C_GetTokenInfo(one).label.trim() === token);
  const session = library.C_OpenSession(slot, p11.CKF_SERIAL_SESSION | p11.CKF_RW_SESSION);
  library.C_Login(session, p11.CKU_USER, pin);
  library.C_FindObjectsInit(session, [
    { type: p11.CKA_CLASS, value: p11.CKO_PUBLIC_KEY },
    { type: p11.CKA_ID, value: Buffer.from(id, 'hex') },
  ]);
  const [key] = library.C_FindObjects(session, 1);
  library.C_FindObjectsFinal(session);
  library.C_SetAttributeValue(session, key, [
    ...(label === undefined ? [] : [{ type: p11.CKA_LABEL, value: label }]),
    ...(nextId === undefined ? [] : [{ type: p11.CKA_ID, value: Buffer.from(nextId, 'hex') }]),
  ]);
  library.C_Finalize();
`;

/** A token of SoftHSM in a folder of its own. */
export interface SoftHsm {
  readonly module: string;
  readonly token: string;
  readonly pin: string;
  readonly pinFile: string;
  /** What a process needs in its environment to reach the token and the optional package. */
  readonly environment: Readonly<Record<string, string>>;
  /** Imports a private key (PEM, PKCS#8) under a label and an id. */
  importKey(pem: string, label: string, id: string): void;
  /** Gives the public half of the pair with this id another label or id (hexadecimal). */
  changePublic(id: string, change: { readonly label?: string; readonly id?: string }): void;
  /** The description of a key, in place of a private key. */
  describe(label: string, more?: object): string;
  remove(): void;
}

/** Creates a token. Its files are removed by `remove`. */
export function createSoftHsm(token = 'vestibule'): SoftHsm {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-softhsm-'));
  const fileOf = (name: string) => path.join(folder, name);
  const [pin, pinFile, module] = ['8463-1207', fileOf('pin'), library ?? ''];
  mkdirSync(fileOf('tokens'));
  writeFileSync(fileOf('softhsm2.conf'), `directories.tokendir = ${fileOf('tokens')}\nlog.level = ERROR\n`);
  writeFileSync(pinFile, `${pin}\n`, { mode: 0o600 });
  const environment = { SOFTHSM2_CONF: fileOf('softhsm2.conf'), NODE_PATH: PACKAGES };
  const run = (...argv: string[]) =>
    // eslint-disable-next-line no-restricted-properties -- of the test run
    execFileSync('softhsm2-util', argv, { env: { ...process.env, ...environment }, stdio: 'pipe' });
  run('--init-token', '--free', '--label', token, '--so-pin', pin, '--pin', pin);
  return {
    module,
    token,
    pin,
    pinFile,
    environment,
    importKey(pem, label, id) {
      writeFileSync(fileOf('key.pem'), pem, { mode: 0o600 });
      run('--import', fileOf('key.pem'), '--token', token, '--pin', pin, '--label', label, '--id', id);
      rmSync(fileOf('key.pem'));
    },
    changePublic(id, change) {
      const argv = ['-e', CHANGE_PUBLIC, module, pin, token, id, JSON.stringify(change)];
      execFileSync(process.execPath, argv, { env: environment, stdio: 'pipe' });
    },
    describe: (label, more = {}) =>
      JSON.stringify({ provider: 'pkcs11', module, token, pinFile, object: label, ...more }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
