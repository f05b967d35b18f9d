import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DomainError, type Fault } from '@vestibule/foundation';
import { schemaFaults } from '@vestibule/contracts';
import type { IssuerTrust } from '@vestibule/oid4vp';
import {
  createChainVerifier,
  parseCertificate,
  parsePemCertificates,
  PURPOSES,
  TRUST_POLICIES,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import { z } from 'zod';

const anchor = z.strictObject({
  file: z.string().min(1),
  purposes: z.array(z.enum(PURPOSES)).min(1).default(['credential', 'status']),
  vcts: z.array(z.string().min(1)).min(1).optional(),
});

const trustFile = z.strictObject({
  policy: z.enum(TRUST_POLICIES).default('auto'),
  issuerBinding: z
    .discriminatedUnion('policy', [
      z.strictObject({ policy: z.literal('none') }),
      z.strictObject({ policy: z.literal('san') }),
      z.strictObject({ policy: z.literal('allowlist'), issuers: z.array(z.string().min(1)).min(1) }),
    ])
    .default({ policy: 'none' }),
  anchors: z.array(anchor),
});

const MEMBERS = ['policy', 'issuerBinding', 'anchors', 'file', 'purposes', 'vcts', 'issuers'];
const REMEMBERED_CHAINS = 1_000;

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'trust_file_invalid', detail: `${file}: ${list}`, faults });
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw invalid(file, [{ path: 'file', message: 'cannot be read as JSON' }]);
  }
}

function readAnchors(file: string, { file: name, ...scope }: z.infer<typeof anchor>): TrustAnchor[] {
  const bytes = readFileSync(path.resolve(path.dirname(file), name));
  const isPem = bytes.includes('-----BEGIN CERTIFICATE-----');
  const certificates = isPem ? parsePemCertificates(bytes.toString('utf8')) : [parseCertificate(bytes)];
  return certificates.map((certificate) => ({ certificate, ...scope }));
}

/**
 * Reads whom the verifier trusts: a JSON file that names anchors (PEM or DER, relative to itself) with their purposes
 * and credential types, the policy for issuers without an anchor, and how `iss` must belong to the certificate.
 * Throws `trust_file_invalid` with every fault, or the fault of a certificate.
 */
export function readTrustFile(file: string): IssuerTrust {
  const parsed = trustFile.safeParse(readJson(file));
  if (!parsed.success) throw invalid(file, schemaFaults(parsed.error, MEMBERS));
  const { policy, issuerBinding, anchors } = parsed.data;
  const chains = createChainVerifier(
    anchors.flatMap((item) => readAnchors(file, item)),
    { maxEntries: REMEMBERED_CHAINS },
  );
  return { chains, policy, binding: issuerBinding };
}
