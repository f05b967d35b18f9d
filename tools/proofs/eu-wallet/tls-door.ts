import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';

/** Speaks TLS as a proxy in front of the gateway does: the libraries take no other addresses. */
export interface TlsDoor {
  readonly origin: string;
  /** PEM of the root that the certificate is below. */
  readonly rootFile: string;
  leadTo(port: number): void;
  stop(): Promise<void>;
}

export async function openTlsDoor(): Promise<TlsDoor> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-eu-wallet-'));
  const rootFile = path.join(folder, 'tls-root.pem');
  const root = await createCertificateAuthority({ name: 'TLS', now: new Date() });
  const { certificate, privateKey } = await root.issue({ name: 'localhost', dnsNames: ['localhost'] });
  writeFileSync(rootFile, toPem(root.certificate));
  let target = 0;
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const server = createServer({ cert: toPem(certificate), key }, (outside) => {
    const inside = connect(target, '127.0.0.1');
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    rootFile,
    leadTo: (port) => (target = port),
    stop: async () => {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
