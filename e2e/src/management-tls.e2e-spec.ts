import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { createTestNats, readClock, type TestNats } from '@vestibule/dev-stack';

interface NodeLine {
  readonly line: string;
  readonly program: string | undefined;
}

const { linesForTests } = createRequire(__filename)('../../tools/node-lines.cjs') as {
  linesForTests: () => readonly NodeLine[];
};
const lines = linesForTests();
const installed = lines.filter((one): one is NodeLine & { program: string } => one.program !== undefined);
const VERSIONS = [
  ['TLSv1.2', '-tls1_2'],
  ['TLSv1.3', '-tls1_3'],
] as const;
const CLIENT = path.join(__dirname, 'tls-session-client.cjs');
const GATEWAY = path.resolve(__dirname, '../../dist/apps/gateway/main.js');

/** What a program prints, however it ends. */
function outputOf(program: string, argv: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(program, argv, (_error, stdout, stderr) => resolve(stdout + stderr));
    child.stdin?.end(input);
  });
}

const requestOf = (address: string) => `GET ${address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

describe('mutual TLS of the management listener', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-tls-lines-'));
  const file = (name: string) => path.join(folder, name);
  let nats: TestNats;
  beforeAll(async () => {
    nats = await createTestNats();
    const authority = await createCertificateAuthority({ name: 'Backends', now: new Date() });
    const server = await authority.issue({ name: 'gateway', dnsNames: ['localhost'] });
    const client = await authority.issue({ name: 'backend' });
    writeFileSync(file('ca.pem'), toPem(authority.certificate));
    writeFileSync(file('server.pem'), toPem(server.certificate));
    writeFileSync(file('server-key.pem'), toPem(server.privateKey));
    writeFileSync(file('client.pem'), toPem(client.certificate) + toPem(client.privateKey));
  });
  afterAll(async () => {
    await nats.stop();
    rmSync(folder, { recursive: true });
  });

  /** A gateway on a Node, once it listens. */
  async function startGateway(program: string): Promise<{ child: ChildProcess; port: string }> {
    const child = spawn(program, [GATEWAY], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        NATS_URL: nats.url,
        BASE_URL: 'https://wallets.example',
        MANAGEMENT_PORT: '0',
        PUBLIC_PORT: '0',
        MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem'),
        MANAGEMENT_TLS_KEY_FILE: file('server-key.pem'),
        MANAGEMENT_CLIENT_CA_FILE: file('ca.pem'),
        ...readClock(),
      },
    });
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as { msg?: string; management?: string };
      if (line.msg !== 'listening') continue;
      child.stdout.resume();
      return { child, port: new URL(line.management ?? '').port };
    }
    throw new Error('the gateway has ended');
  }

  describe.each(lines)('on Node $line', ({ line, program }) => {
    if (program === undefined) {
      it.skip(`Node ${line} is not installed: node tools/node-lines.cjs install`, () => undefined);
      return;
    }
    let gateway: { child: ChildProcess; port: string };
    beforeAll(async () => {
      gateway = await startGateway(program);
    });
    afterAll(async () => {
      gateway.child.kill();
      if (gateway.child.exitCode === null) await once(gateway.child, 'exit');
    });

    describe.each(VERSIONS)('%s', (version, flag) => {
      const openssl = (address: string, ...argv: readonly string[]) => {
        const target = ['-connect', `127.0.0.1:${gateway.port}`, '-servername', 'localhost', '-ign_eof', flag];
        return outputOf('openssl', ['s_client', ...target, ...argv], requestOf(address));
      };

      it('serves who shows a certificate', async () => {
        expect(await openssl('/openapi.json', '-cert', file('client.pem'))).toContain('HTTP/1.1 200');
      });

      it('refuses who resumes a session without one: openssl s_client', async () => {
        const session = file(`${line}${version}.session`);
        expect(await openssl('/health/live', '-sess_out', session)).toContain('HTTP/1.1 200');
        const again = await openssl('/openapi.json', ...(existsSync(session) ? ['-sess_in', session] : []));
        expect(again).toContain('HTTP/1.1 403');
        expect(again).not.toMatch(/^Reused, /m);
      });

      it.each(installed)('refuses who resumes a session without one: Node $line', async (client) => {
        const output = await outputOf(client.program, [CLIENT, gateway.port, file('ca.pem'), version]);
        const { opened, sessions, resumed } = JSON.parse(output) as {
          opened: number;
          sessions: number;
          resumed: { status: number; reused: boolean }[];
        };
        expect([opened, resumed.length]).toEqual([200, sessions]);
        expect(resumed).toEqual(resumed.map(() => ({ status: 403, reused: false })));
      });
    });
  });
});
