import path from 'node:path';
import { DomainError, parseJsonBytes, type Fault } from '@vestibule/foundation';
import { schemaFaults } from '@vestibule/contracts';
import type { IssuerTrust } from '@vestibule/oid4vp';
import { issuerMetadataUrl } from '@vestibule/sd-jwt-vc';
import {
  checkTrustAnchors,
  createChainVerifier,
  parseCertificateFile,
  PURPOSES,
  TRUST_POLICIES,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import { z } from 'zod';
import type { FileReader } from './tracked-files';

const issuerBinding = z.discriminatedUnion('policy', [
  z.strictObject({ policy: z.literal('none') }),
  z.strictObject({ policy: z.literal('san') }),
  z.strictObject({ policy: z.literal('allowlist'), issuers: z.array(z.string().min(1)).min(1) }),
]);

const anchor = z.strictObject({
  file: z.string().min(1),
  purposes: z.array(z.enum(PURPOSES)).min(1).default(['credential', 'status']),
  /** Instead of the binding of the whole file. */
  issuerBinding: issuerBinding.optional(),
  vcts: z.array(z.string().min(1)).min(1).optional(),
});

function hasMetadata(issuer: string): boolean {
  try {
    return issuerMetadataUrl(issuer) !== '';
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

const issuerName = z
  .string()
  .refine(hasMetadata, 'expected an https URL without user information, query and fragment, as browsers spell it');
const metadataIssuer = z.union([
  issuerName.transform((issuer) => ({ issuer })),
  z.strictObject({ issuer: issuerName, vcts: z.array(z.string().min(1)).min(1).optional() }),
]);

type AnchorItem = z.infer<typeof anchor>;

const trustFile = z.strictObject({
  policy: z.enum(TRUST_POLICIES).default('auto'),
  issuerBinding: issuerBinding.default({ policy: 'none' }),
  anchors: z.array(anchor),
  metadataIssuers: z.array(metadataIssuer).default([]),
});

const MEMBERS = [
  'policy',
  'issuerBinding',
  'anchors',
  'file',
  'purposes',
  'vcts',
  'issuers',
  'metadataIssuers',
  'issuer',
];
const REMEMBERED_CHAINS = 1_000;

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'trust_file_invalid', detail: `${file}: ${list}`, faults });
}

function readBytes(file: string, files: FileReader): Buffer {
  try {
    return files.read(file);
  } catch (error) {
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw invalid(file, [{ path: 'file', message }]);
  }
}

/** JSON in which no member stands twice: of two policies nobody knows which one counts. */
function readJson(file: string, files: FileReader): unknown {
  const value = parseJsonBytes(readBytes(file, files));
  if (value === undefined) throw invalid(file, [{ path: 'file', message: 'is not JSON, or names a member twice' }]);
  return value;
}

function readAnchor(file: string, { file: name, ...scope }: AnchorItem, files: FileReader): TrustAnchor[] {
  const bytes = readBytes(path.resolve(path.dirname(file), name), files);
  const anchors = parseCertificateFile(bytes).map((certificate) => ({ certificate, ...scope }));
  checkTrustAnchors(anchors);
  return anchors;
}

function readAnchors(file: string, items: readonly AnchorItem[], files: FileReader): TrustAnchor[] {
  const faults: Fault[] = [];
  const anchors = items.flatMap((item, index) => {
    try {
      return readAnchor(file, item, files);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      faults.push({ path: `anchors[${index}].file`, message: `cannot be used: ${error.detail}` });
      return [];
    }
  });
  if (faults.length > 0) throw invalid(file, faults);
  return anchors;
}

/**
 * Reads whom the verifier trusts: a JSON file that names anchors (PEM or DER, relative to itself) with their purposes
 * and credential types, the policy for issuers without an anchor, how `iss` must belong to the certificate, and the
 * issuers whose keys come from their metadata.
 * Throws `trust_file_invalid` with every fault; what is wrong with a certificate stands in the fault of its anchor.
 */
export function readTrustFile(file: string, files: FileReader): IssuerTrust {
  const parsed = trustFile.safeParse(readJson(file, files));
  if (!parsed.success) throw invalid(file, schemaFaults(parsed.error, MEMBERS));
  const { policy, issuerBinding: binding, anchors, metadataIssuers } = parsed.data;
  const chains = createChainVerifier(readAnchors(file, anchors, files), { maxEntries: REMEMBERED_CHAINS });
  return { chains, policy, binding, metadataIssuers };
}
