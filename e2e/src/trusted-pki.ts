import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import type { Identity } from './handmade-credential';

/** One entry of `anchors` in a trust file. */
export interface TrustedAuthority {
  readonly certificate: Uint8Array;
  readonly purposes?: readonly string[];
  readonly vcts?: readonly string[];
}

/** A root that a verifier trusts, and what it has certified. */
export interface Pki {
  readonly root: Authority;
  readonly intermediate: Authority;
  /** A leaf below the intermediate, with its chain as it goes into `x5c`. */
  readonly issuer: Identity;
}

/** One that a verifier of its own is told to trust. */
export interface TrustedPki extends Pki {
  /** For the verifier's TRUST_FILE. */
  readonly trustFile: string;
  /** Writes the trust file anew; the verifier has to be started again. */
  trust(anchors: readonly TrustedAuthority[], rest?: object): void;
  remove(): void;
}

/** Makes a PKI of its own in a temporary folder, whose root is trusted for credentials and status lists of all types. */
export async function createTrustedPki(): Promise<TrustedPki> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-trust-'));
  const trustFile = path.join(folder, 'trust.json');
  const root = await createCertificateAuthority({ name: 'Checklist Root', now: new Date() });
  const intermediate = await root.issueAuthority({ name: 'Checklist CA' });
  const leaf = await intermediate.issue({ name: 'Checklist Issuer', dnsNames: ['issuer.example'] });
  const trust: TrustedPki['trust'] = (anchors, rest = {}) => {
    const entries = anchors.map(({ certificate, ...scope }, index) => {
      writeFileSync(path.join(folder, `anchor-${index}.pem`), toPem(certificate));
      return { file: `anchor-${index}.pem`, ...scope };
    });
    writeFileSync(trustFile, JSON.stringify({ ...rest, anchors: entries }));
  };
  trust([{ certificate: root.certificate }]);
  return {
    root,
    intermediate,
    issuer: { chain: [leaf.certificate, intermediate.certificate], key: leaf.privateKey },
    trustFile,
    trust,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
