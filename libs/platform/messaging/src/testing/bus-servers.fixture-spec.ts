import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Authority, createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { findProgram, readTestEnvironment, startNatsServer } from '@vestibule/dev-stack';

/** The real server, without which nothing about TLS and permissions can be tested. */
export const natsBinary = findProgram('nats-server', readTestEnvironment().searchPath);

/** Certificates and servers of one test file. */
export interface ServerRoom {
  readonly folder: string;
  readonly authority: Authority;
  readonly caFile: string;
  /** Writes a file into the folder and names it. */
  write(name: string, text: string): string;
  /** The part `tls` of a configuration, with a certificate of its own. */
  tls(options?: {
    authority?: Authority;
    names?: readonly string[];
    notAfter?: Date;
    clients?: boolean;
  }): Promise<string>;
  /** A certificate and key for a client. */
  client(): Promise<{ certificateFile: string; keyFile: string }>;
  /** Starts a server with this configuration; its port is in the URL. */
  start(configuration: string): Promise<{ port: number; stop: () => Promise<void>; kill: () => Promise<void> }>;
  close(): Promise<void>;
}

/** Opens a folder for certificates and configurations, and closes what was started there. */
export async function openServerRoom(): Promise<ServerRoom> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-nats-'));
  const authority = await createCertificateAuthority({ name: 'Bus', now: new Date() });
  const closers: (() => Promise<void>)[] = [];
  let count = 0;
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const caFile = write('ca.pem', toPem(authority.certificate));
  const pair = async (issuer: Authority, options: { names: readonly string[]; notAfter?: Date }) => {
    const name = `leaf-${(count += 1)}`;
    const { names, ...rest } = options;
    const issued = await issuer.issue({ name, dnsNames: [...names], ...rest });
    return {
      certificateFile: write(`${name}.pem`, toPem(issued.certificate)),
      keyFile: write(`${name}-key.pem`, toPem(issued.privateKey)),
    };
  };
  return {
    folder,
    authority,
    caFile,
    write,
    client: () => pair(authority, { names: ['client'] }),
    async tls({ authority: issuer = authority, names = ['localhost'], notAfter, clients = false } = {}) {
      const files = await pair(issuer, { names, ...(notAfter ? { notAfter } : {}) });
      const verify = clients ? `\n  ca_file: "${caFile}"\n  verify: true` : '';
      return `tls {\n  cert_file: "${files.certificateFile}"\n  key_file: "${files.keyFile}"${verify}\n}\n`;
    },
    async start(configuration) {
      const file = write(`server-${(count += 1)}.conf`, configuration);
      const server = await startNatsServer(natsBinary ?? 'nats-server', ['-c', file]);
      closers.push(() => server.stop());
      return { port: Number(new URL(server.url).port), stop: () => server.stop(), kill: () => server.kill() };
    },
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
      rmSync(folder, { recursive: true });
    },
  };
}
