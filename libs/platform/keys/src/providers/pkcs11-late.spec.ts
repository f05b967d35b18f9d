import { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@vestibule/testkit';
import { parseKeyDescription, type Described } from '../description';
import type { RemoteKey } from '../device';
import { openPkcs11Key } from './pkcs11';

const soon = () => AbortSignal.timeout(20_000);
const INPUT = Buffer.of(1);
const SIGNATURE = Buffer.alloc(64, 7);

describe('a call to a PKCS#11 device whose time is over', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pkcs11-late-'));
  const inFolder = (name: string) => path.join(folder, name);
  const [pinFile, program, log, slow] = ['pin', 'program.cjs', 'log', 'slow'].map(inFolder) as [
    string,
    string,
    string,
    string,
  ];
  let key: RemoteKey;
  beforeAll(() => {
    writeFileSync(pinFile, '1234');
    // Notes that it starts and what it is asked for, and is not ready while a file says so.
    writeFileSync(
      program,
      `const { appendFileSync, existsSync } = require('node:fs');
      const note = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ');
      note('start');
      const ready = () => existsSync(${JSON.stringify(slow)}) ? setImmediate(ready) : process.send({ ready: true });
      process.on('message', (message) => {
        if (!('order' in message)) return ready();
        note(message.operation);
        process.send({ order: message.order, output: Buffer.alloc(64, 7) });
      });`,
    );
  });
  beforeEach(() => {
    rmSync(log, { force: true });
    const description = { provider: 'pkcs11', module: 'none', token: 'token', object: 'key', pinFile };
    key = openPkcs11Key(parseKeyDescription(JSON.stringify(description)) as Described<'pkcs11'>, program);
  });
  afterEach(async () => {
    rmSync(slow, { force: true });
    await key.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const noted = () => (existsSync(log) ? readFileSync(log, 'utf8').trim() : '');

  it('does not begin if it was over before: no process starts, and none that runs is asked or ended', async () => {
    const over = AbortSignal.abort(new Error('over'));
    const calls = () =>
      Promise.allSettled([key.sign(INPUT, over), key.readPublicKey(over), key.unwrap(INPUT, over)]).then((all) =>
        all.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : 'answered')),
      );
    // Without a PIN, nothing could start.
    rmSync(pinFile);
    expect(await calls()).toEqual(['over', 'over', 'over']);
    writeFileSync(pinFile, '1234');
    expect(Buffer.from(await key.sign(INPUT, soon()))).toEqual(SIGNATURE);
    expect(await calls()).toEqual(['over', 'over', 'over']);
    await key.sign(INPUT, soon());
    expect(noted()).toBe('start sign sign');
  });

  it('asks for nothing if it is over while the process starts, and the next one begins anew', async () => {
    writeFileSync(slow, '');
    const stop = new AbortController();
    const signed = expect(key.sign(INPUT, stop.signal)).rejects.toThrow(/PKCS#11 device failed/);
    await until(() => noted() === 'start');
    stop.abort();
    await signed;
    rmSync(slow);
    expect(Buffer.from(await key.sign(INPUT, soon()))).toEqual(SIGNATURE);
    expect(noted()).toBe('start start sign');
  });

  it('ends although its process does not: a driver that hangs in the kernel outlasts every signal', async () => {
    writeFileSync(slow, '');
    const stop = new AbortController();
    const signed = expect(key.sign(INPUT, stop.signal)).rejects.toThrow(/PKCS#11 device failed/);
    await until(() => noted() === 'start');
    const unheard = jest.spyOn(ChildProcess.prototype, 'kill').mockReturnValue(true);
    try {
      stop.abort();
      await signed;
    } finally {
      const children = [...unheard.mock.contexts];
      unheard.mockRestore();
      for (const child of children) child.kill('SIGKILL');
    }
  });
});
