import { execFile } from 'node:child_process';
import path from 'node:path';
import { environmentOfRun } from '@vestibule/dev-stack';

const PROGRAM = path.resolve(__dirname, '../../dist/apps/cli/main.js');

// eslint-disable-next-line no-restricted-properties -- where node is
const { PATH } = process.env;

/** Runs `vestibule` where Node.js accepts any certificate of any host; its exit code, and all that it writes. */
function vestibule(line: string): Promise<readonly [code: number, written: string]> {
  const env = { PATH, ...environmentOfRun(), NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  return new Promise((resolve) => {
    execFile(PROGRAM, line.split(' '), { env }, (error, stdout, stderr) =>
      resolve([typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout + stderr]),
    );
  });
}

it.each(['callbacks list verifier --url https://127.0.0.1:9', 'keys new sealing', 'qr x'])(
  'vestibule %s does nothing where the certificates of hosts are not verified',
  async (line) => {
    expect(await vestibule(line)).toEqual([
      2,
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED must not be 0.*\n$/),
    ]);
  },
);

it('vestibule explains itself there', async () => {
  expect(await vestibule('callbacks --help')).toEqual([0, expect.stringContaining('--url')]);
});
