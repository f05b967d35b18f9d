import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { startStatusHost, type StatusHost } from './status-host';

/** Hosts that speak https, and the authority that a verifier needs to believe one of them. */
export interface HttpsHosts {
  /** Its authority is in `caFile`. */
  readonly trusted: StatusHost;
  /** Its authority is not. */
  readonly stranger: StatusHost;
  /** For EGRESS_CA_FILE. */
  readonly caFile: string;
  /** For EGRESS_DEVELOPMENT_HOSTS. */
  readonly developmentHosts: string;
  stop(): Promise<void>;
}

async function createHost(name: string) {
  const root = await createCertificateAuthority({ name, now: new Date() });
  const leaf = await root.issue({ name: 'localhost', dnsNames: ['localhost'] });
  const host = await startStatusHost({ tls: { cert: toPem(leaf.certificate), key: toPem(leaf.privateKey) } });
  return { host, root };
}

export async function startHttpsHosts(): Promise<HttpsHosts> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-ca-'));
  const caFile = path.join(folder, 'ca.pem');
  const { host: trusted, root } = await createHost('Company Root');
  const { host: stranger } = await createHost('Stranger Root');
  writeFileSync(caFile, toPem(root.certificate));
  return {
    trusted,
    stranger,
    caFile,
    developmentHosts: `${trusted.host},${stranger.host}`,
    async stop() {
      await Promise.all([trusted.stop(), stranger.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
}
