import { spawn } from 'node:child_process';
import { connect, type ConnectionOptions, type SecureVersion, type TLSSocket } from 'node:tls';

/** What a client received, and the sessions that it may try to resume. */
export interface Exchange {
  readonly status: number;
  /** The `code` of the problem, undefined for none. */
  readonly code: string | undefined;
  /** Was a session resumed? */
  readonly reused: boolean;
  readonly sessions: readonly Buffer[];
}

/** How `node:tls` and `openssl s_client` name the versions. */
export const TLS_VERSIONS = [
  ['TLSv1.3', '-tls1_3'],
  ['TLSv1.2', '-tls1_2'],
] as const satisfies readonly (readonly [SecureVersion, string])[];

const requestOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

function readAnswer(text: string): Pick<Exchange, 'status' | 'code'> {
  const [, status = '0'] = /HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  const [, code] = /"code":"([a-z_]+)"/.exec(text) ?? [];
  return { status: Number(status), code };
}

/** One request over a new TLS connection. */
export function exchange(options: ConnectionOptions, path: string): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const sessions: Buffer[] = [];
    const chunks: Buffer[] = [];
    let reused = false;
    const socket: TLSSocket = connect({ servername: 'localhost', ...options }, () => {
      reused = socket.isSessionReused();
      socket.write(requestOf(path));
    });
    socket.on('session', (session) => sessions.push(session));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('end', () => resolve({ ...readAnswer(Buffer.concat(chunks).toString()), reused, sessions }));
  });
}

/** One request with `openssl s_client`, which ends when the server does. */
export function opensslExchange(port: number, path: string, options: readonly string[]) {
  return new Promise<Pick<Exchange, 'status' | 'code' | 'reused'>>((resolve, reject) => {
    const target = ['-connect', `127.0.0.1:${port}`, '-servername', 'localhost', '-ign_eof'];
    const child = spawn('openssl', ['s_client', ...target, ...options], { stdio: ['pipe', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ ...readAnswer(text), reused: /^Reused, /m.test(text) });
    });
    child.stdin.end(requestOf(path));
  });
}
