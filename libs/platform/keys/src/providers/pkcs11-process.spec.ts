import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compilePkcs11Program } from '../testing/compiled-program.fixture-spec';

describe('the process that talks to a PKCS#11 library', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pkcs11-process-'));
  let child: ChildProcess | undefined;
  afterEach(() => void child?.kill('SIGKILL'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('ends with its parent, although a call of the library hangs in a thread', async () => {
    const [pipe, hanging] = [path.join(folder, 'pipe'), path.join(folder, 'hanging.cjs')];
    execFileSync('mkfifo', [pipe]);
    // Nobody ever writes to the pipe: opening it keeps a thread as a device does that does not return.
    const hang = `require('node:fs').open(${JSON.stringify(pipe)}, 'r', () => undefined);`;
    writeFileSync(
      hanging,
      `${hang} require(${JSON.stringify(compilePkcs11Program(folder))}); process.send({ order: 0 });`,
    );
    child = fork(hanging, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await once(child, 'message');
    const exited = once(child, 'exit');
    child.disconnect();
    expect(await exited).toEqual([null, 'SIGKILL']);
  });
});
