import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { KeyObject } from 'node:crypto';
import { schemaFaults } from '@vestibule/contracts';
import { importPublicJwk, parsePublicJwk } from '@vestibule/crypto';
import { DomainError, ownMember, parseJsonBytes, type Fault, type JsonObject } from '@vestibule/foundation';
import type { AttesterKeys } from '@vestibule/oauth';
import { createChainVerifier, parsePemCertificates, type ChainVerifier, type TrustAnchor } from '@vestibule/x509-trust';
import { z } from 'zod';

const attesters = z
  .strictObject({
    /** PEM files, relative to this one. */
    anchors: z.array(z.string().min(1)).max(100).default([]),
    /** Public keys of attesters that send no certificates. */
    keys: z
      .array(z.looseObject({ kty: z.literal('EC'), kid: z.string().min(1).optional() }))
      .max(100)
      .default([]),
  })
  .refine(({ anchors, keys }) => anchors.length + keys.length > 0, 'needs an anchor or a key');
const trustFile = z.strictObject({ walletAttestation: attesters.optional(), keyAttestation: attesters.optional() });
type Attesters = z.infer<typeof attesters>;

const MEMBERS = ['walletAttestation', 'keyAttestation', 'anchors', 'keys', 'kty', 'kid'];
const REMEMBERED_CHAINS = 1_000;

/** Who may attest wallets and who may attest their keys; undefined where nobody may. */
export interface AttesterTrust {
  readonly wallets: AttesterKeys | undefined;
  readonly keys: AttesterKeys | undefined;
}

interface ConfiguredKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
}

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'attestation_trust_invalid', detail: `${file}: ${list}`, faults });
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw invalid(file, [{ path: 'file', message: `cannot be read (${(error as NodeJS.ErrnoException).code})` }]);
  }
}

/** The result of `read`; what is wrong with it is noted as a fault of `place`. */
function noting<Result>(faults: Fault[], place: string, read: () => readonly Result[]): readonly Result[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    faults.push({ path: place, message: `cannot be used: ${error.detail}` });
    return [];
  }
}

function readAnchors(file: string): readonly TrustAnchor[] {
  const anchors = parsePemCertificates(readBytes(file).toString('utf8')).map((certificate): TrustAnchor => ({
    certificate,
    purposes: ['attestation'],
  }));
  createChainVerifier(anchors, { maxEntries: 1 });
  return anchors;
}

function readKey({ kid, ...jwk }: Attesters['keys'][number]): ConfiguredKey {
  return { kid, key: importPublicJwk(parsePublicJwk(jwk)) };
}

/** The key below an anchor, or the configured keys with the header's `kid`; those without one may have signed too. */
function keysFor(chains: ChainVerifier, configured: readonly ConfiguredKey[]): AttesterKeys {
  return (header: JsonObject, now: Date) => {
    const x5c = ownMember(header, 'x5c');
    if (x5c !== undefined) {
      const { leaf, anchor } = chains.verify(x5c, { purpose: 'attestation', now });
      return anchor ? [leaf.publicKey] : [];
    }
    const named = ownMember(header, 'kid');
    return configured
      .filter(({ kid }) => kid === undefined || named === undefined || kid === named)
      .map(({ key }) => key);
  };
}

function trustIn(file: string, name: string, listed: Attesters | undefined, faults: Fault[]): AttesterKeys | undefined {
  if (!listed) return undefined;
  const anchors = listed.anchors.flatMap((anchor, index) =>
    noting(faults, `${name}.anchors[${index}]`, () => readAnchors(path.resolve(path.dirname(file), anchor))),
  );
  const keys = listed.keys.flatMap((key, index) => noting(faults, `${name}.keys[${index}]`, () => [readKey(key)]));
  return keysFor(createChainVerifier(anchors, { maxEntries: REMEMBERED_CHAINS }), keys);
}

/**
 * Reads who may attest: a JSON file with `walletAttestation` and `keyAttestation`, each with `anchors` (PEM files) for
 * attestations with `x5c` and `keys` (public JWKs) for those without. A chain never includes its anchor.
 * Throws `attestation_trust_invalid` with every fault.
 */
export function readAttesterTrust(file: string): AttesterTrust {
  const content = parseJsonBytes(readBytes(file));
  if (content === undefined) throw invalid(file, [{ path: 'file', message: 'is not JSON, or names a member twice' }]);
  const parsed = trustFile.safeParse(content);
  if (!parsed.success) throw invalid(file, schemaFaults(parsed.error, MEMBERS));
  const faults: Fault[] = [];
  const { walletAttestation, keyAttestation } = parsed.data;
  const wallets = trustIn(file, 'walletAttestation', walletAttestation, faults);
  const keys = trustIn(file, 'keyAttestation', keyAttestation, faults);
  if (faults.length > 0) throw invalid(file, faults);
  return { wallets, keys };
}
