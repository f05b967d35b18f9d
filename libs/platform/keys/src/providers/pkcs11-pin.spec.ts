import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseKeyDescription, type Described } from '../description';
import type { RemoteKey } from '../device';
import { compilePkcs11Program } from '../testing/compiled-program.fixture-spec';
import { openPkcs11Key } from './pkcs11';

/* Flags of CK_TOKEN_INFO. */
const COUNT_LOW = 0x10000;
const FINAL_TRY = 0x20000;
const SIGNATURE_BYTES = 64;
const soon = () => AbortSignal.timeout(20_000);

describe('the PIN of a PKCS#11 token', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pkcs11-pin-'));
  const [pinFile, loginFile] = [path.join(folder, 'pin'), path.join(folder, 'login')];
  let opened: RemoteKey | undefined;
  beforeEach(() => writeFileSync(pinFile, '1234'));
  afterEach(() => {
    rmSync(loginFile, { force: true });
    return opened?.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A key in a token with these flags, whose library notes each login and signs with zeros. */
  function open(flags: number): RemoteKey {
    const program = path.join(folder, `flags-${flags}.cjs`);
    writeFileSync(
      program,
      `const Module = require('node:module'); const load = Module._load;
      class PKCS11 {
        load() {}
        C_Initialize() {}
        C_GetSlotList() { return [Buffer.of(1)]; }
        C_GetTokenInfo() { return { label: 'token', flags: ${flags} }; }
        C_OpenSession() { return Buffer.of(2); }
        C_Login() { require('node:fs').writeFileSync(${JSON.stringify(loginFile)}, ''); }
        C_FindObjectsInit() {}
        C_FindObjects() { return [Buffer.of(3)]; }
        C_FindObjectsFinal() {}
        C_SignInit() {}
        C_SignAsync() { return Promise.resolve(Buffer.alloc(${SIGNATURE_BYTES})); }
      }
      Module._load = (name, ...rest) => (name === 'pkcs11js' ? { PKCS11 } : load(name, ...rest));
      require(${JSON.stringify(compilePkcs11Program(folder))});`,
    );
    const description = { provider: 'pkcs11', module: 'none', token: 'token', object: 'key', pinFile };
    opened = openPkcs11Key(parseKeyDescription(JSON.stringify(description)) as Described<'pkcs11'>, program);
    return opened;
  }

  it('is not sent where wrong ones were sent before and the next one would lock the token', async () => {
    const key = open(COUNT_LOW | FINAL_TRY);
    for (const _attempt of [1, 2])
      await expect(key.sign(Buffer.of(1), soon())).rejects.toMatchObject({ code: 'key_pin_last_try' });
    expect(existsSync(loginFile)).toBe(false);
  });

  it.each([0, COUNT_LOW, FINAL_TRY])('is sent to a token with the flags %i', async (flags) => {
    expect(await open(flags).sign(Buffer.of(1), soon())).toHaveLength(SIGNATURE_BYTES);
    expect(existsSync(loginFile)).toBe(true);
  });
});
