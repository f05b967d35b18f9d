import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensurePkiFiles } from '@vestibule/dev-stack';
import { haveSameAuthority, parsePemCertificates } from '@vestibule/x509-trust';
import { trackFiles } from '@vestibule/keys';
import { readTrustFile } from './trust-file';

const NOW = new Date('2026-03-01T12:00:00Z');
const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const URLS = ['http://127.0.0.1:8080'];

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'development-trust-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function chainNow() {
  const chain = parsePemCertificates(readFileSync(path.join(folder, 'issuer.pem'), 'utf8'));
  return chain.map(({ der }) => der.toString('base64'));
}

describe('a development PKI that is renewed', () => {
  it.each([
    ['leaf', [], 3 * 365 - 30],
    ['root', ['root-key.pem', 'intermediate-key.pem'], 3 * 365 - 30],
  ])('is trusted with its former credentials when the %s is a new one', async (_what, lost, days) => {
    await ensurePkiFiles(folder, URLS, NOW);
    const former = chainNow();
    for (const name of lost) rmSync(path.join(folder, name));
    await ensurePkiFiles(folder, URLS, later(days));
    const current = chainNow();
    expect(current[0]).not.toBe(former[0]);
    const logger = { warn: () => undefined };
    const file = path.join(folder, 'trust.json');
    const { chains } = readTrustFile(file, { files: trackFiles(), logger, skewSeconds: 60 });
    const [one, other] = [former, current].map((x5c) => {
      const verified = chains.verify(x5c, { now: later(days), purpose: 'credential' });
      expect(verified.anchor).toBeDefined();
      return verified;
    });
    // So that the status lists of former credentials, signed with the new certificate, count for them.
    expect(one && other && haveSameAuthority(one, other)).toBe(true);
  });
});
