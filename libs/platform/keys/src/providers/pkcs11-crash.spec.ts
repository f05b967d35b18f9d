import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseKeyDescription, type Described } from '../description';
import type { RemoteKey } from '../device';
import { openPkcs11Key } from './pkcs11';

const SIGNATURE = 64;
const soon = () => AbortSignal.timeout(20_000);
const INPUT = Buffer.from('what is signed');

/** Ends a process, and waits until it is dead without leaving the turn of the event loop: nothing is heard of it. */
function endUnheard(pid: number): void {
  process.kill(pid, 'SIGKILL');
  execFileSync('sh', ['-c', `while ps -o stat= -p ${pid} | grep -qv Z; do :; done`]);
}

describe('a PKCS#11 library that crashes', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pkcs11-crash-'));
  const pinFile = path.join(folder, 'pin');
  const pidFile = path.join(folder, 'pid');
  const opened: RemoteKey[] = [];
  beforeAll(() => writeFileSync(pinFile, '1234'));
  afterEach(async () => {
    for (const key of opened.splice(0)) await key.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A key whose process signs with zeros, and says who it is. */
  function open(): RemoteKey {
    const program = path.join(folder, 'program.cjs');
    writeFileSync(
      program,
      `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
      process.on('disconnect', () => process.exit(0));
      process.on('message', ({ order }) =>
        process.send(order === undefined ? { ready: true } : { order, output: Buffer.alloc(${SIGNATURE}) }));`,
    );
    const description = { provider: 'pkcs11', module: 'none', token: 'none', object: 'key', pinFile };
    const key = openPkcs11Key(parseKeyDescription(JSON.stringify(description)) as Described<'pkcs11'>, program);
    opened.push(key);
    return key;
  }

  it('takes the calls of that moment with it, and never the service', async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', note);
    const key = open();
    await key.sign(INPUT, soon());
    endUnheard(Number(readFileSync(pidFile, 'utf8')));
    const calls = await Promise.allSettled([1, 2, 3, 4].map(() => key.sign(INPUT, soon())));
    process.off('uncaughtException', note);
    expect(uncaught).toEqual([]);
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    expect(await key.sign(INPUT, soon())).toHaveLength(SIGNATURE);
  });
});
