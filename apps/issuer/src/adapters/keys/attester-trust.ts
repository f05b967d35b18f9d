import path from 'node:path';
import type { KeyObject } from 'node:crypto';
import { judge } from '@vestibule/contracts';
import { addressFaults } from '@vestibule/egress';
import { curveOf, ECDSA_ALGORITHMS, importPublicJwkByJose, parseSigningJwk } from '@vestibule/crypto';
import {
  DomainError,
  ownMember,
  parseJsonBytes,
  unreadableJsonFaults,
  type Fault,
  type JsonObject,
} from '@vestibule/foundation';
import type { AttesterKeys, StatusSignerKeys } from '@vestibule/oauth';
import { readConfigurationFile, TRUSTED_LIST_MEMBERS, type Logger } from '@vestibule/process';
import {
  createChainVerifier,
  EXTENDED_KEY_USAGE_POLICIES,
  maySignStatusOf,
  parseCertificateFile,
  type Certificate,
  type ChainVerifier,
  type ChainVerifierOptions,
  type Purpose,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import { z } from 'zod';
import { attesterList, readLists } from '../lists/attester-list-settings';
import type { AttesterLists, FollowAttesterLists } from '../lists/attester-lists';

const attesters = z
  .strictObject({
    /** PEM files, relative to this file. */
    anchors: z.array(z.string().min(1)).max(100).default([]),
    /** Public keys of attesters that do not send certificates. */
    keys: z
      .array(z.looseObject({ kty: z.literal('EC'), kid: z.string().min(1).optional() }))
      .max(100)
      .default([]),
  })
  .refine(({ anchors, keys }) => anchors.length + keys.length > 0, 'needs an anchor or a key');
const trustFile = z.strictObject({
  /** Whether certificates that are restricted to other purposes are refused, or accepted and reported. */
  extendedKeyUsage: z.enum(EXTENDED_KEY_USAGE_POLICIES).default('enforce'),
  walletAttestation: attesters.optional(),
  keyAttestation: attesters.optional(),
  /** Whose authorities attest both. */
  lists: z.array(attesterList).max(20).default([]),
});
type Attesters = z.infer<typeof attesters>;

const MEMBERS = [
  ...['extendedKeyUsage', 'walletAttestation', 'keyAttestation', 'anchors', 'keys', 'kty', 'kid'],
  ...TRUSTED_LIST_MEMBERS,
];
const REMEMBERED_CHAINS = 1_000;
const NO_ANCHORS: readonly TrustAnchor[] = [];
/** A part that the file leaves out. */
const NOBODY: Attesters = { anchors: [], keys: [] };
/** The clock skew that is tolerated everywhere. */
const SKEW_SECONDS = 60;
/** Attesters sign with any of the three (TS3 1.5 §2.6). */
const ATTESTER_CURVES = ECDSA_ALGORITHMS.map(curveOf);

/** Who may attest wallets and who may attest keys; undefined if nobody may. */
export interface AttesterTrust {
  readonly wallets: AttesterKeys | undefined;
  readonly keys: AttesterKeys | undefined;
  /** Who may sign the status lists that attestations of wallets, or of keys, refer to. */
  readonly walletStatus: StatusSignerKeys | undefined;
  readonly keyStatus: StatusSignerKeys | undefined;
  /** The lists among them; undefined without any. */
  readonly lists?: AttesterLists | undefined;
}

interface ConfiguredKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
}

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'attestation_trust_invalid', detail: `${file}: ${list}`, faults });
}

const readBytes = (file: string): Buffer =>
  readConfigurationFile(file, (message) => invalid(file, [{ path: 'file', message }]));

/** The result of `read`; an error is noted as a fault of `place`. */
async function noting<Result>(
  faults: Fault[],
  place: string,
  read: () => readonly Result[] | Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    faults.push({ path: place, message: `cannot be used: ${error.detail}` });
    return [];
  }
}

type AttestationPurpose = Extract<Purpose, 'wallet_attestation' | 'key_attestation'>;

/** Receives warnings about faults that are only reported. */
type Reporting = Pick<Logger, 'warn'>;

function readAnchors(file: string, purpose: AttestationPurpose): readonly TrustAnchor[] {
  const certificates = parseCertificateFile(readBytes(file));
  const purposes = [purpose, 'status'] as const;
  const anchors = certificates.map((certificate): TrustAnchor => ({ certificate, purposes }));
  createChainVerifier(anchors, { maxEntries: 1 });
  return anchors;
}

async function readKey({ kid, ...jwk }: Attesters['keys'][number]): Promise<ConfiguredKey> {
  return { kid, key: await importPublicJwkByJose(parseSigningJwk(jwk, ATTESTER_CURVES)) };
}

/**
 * The key of a certificate below an anchor, or the configured keys with the header's `kid`; keys without a `kid` are
 * also candidates.
 */
function keysFor(
  chains: () => ChainVerifier,
  configured: readonly ConfiguredKey[],
  purpose: AttestationPurpose | 'status',
): AttesterKeys {
  return (header: JsonObject, now: Date) => {
    const x5c = ownMember(header, 'x5c');
    if (x5c !== undefined) {
      const { leaf, anchor } = chains().verify(x5c, { purpose, now, needsAnchor: true });
      return anchor ? [leaf.publicKey] : [];
    }
    const named = ownMember(header, 'kid');
    return configured
      .filter(({ kid }) => kid === undefined || named === undefined || kid === named)
      .map(({ key }) => key);
  };
}

/**
 * Those with a key or an authority in the file for all attestations, as the word of the operator is enough; those from a list for the
 * attestations of their own entity.
 */
function statusSignersFor(
  chains: () => ChainVerifier,
  configured: readonly ConfiguredKey[],
  purpose: AttestationPurpose,
): StatusSignerKeys {
  const keysOf = keysFor(chains, configured, 'status');
  const verify = (header: JsonObject, as: Purpose, now: Date) => {
    const x5c = ownMember(header, 'x5c');
    return x5c === undefined ? undefined : chains().verify(x5c, { purpose: as, now, needsAnchor: true });
  };
  return (header, now, attestation) => {
    const keys = keysOf(header, now);
    const signer = verify(header, 'status', now);
    if (!attestation || signer?.anchor?.list === undefined) return keys;
    const attester = verify(attestation.header, purpose, attestation.acceptedAt);
    const { anchors } = chains();
    return attester && maySignStatusOf(attester, signer, { anchors, issued: { purpose } }) ? keys : [];
  };
}

const reportTo =
  (logger: Reporting) =>
  (restricted: Certificate, purpose: Purpose): void =>
    logger.warn('a certificate is restricted to other purposes; this is only reported', {
      purpose,
      subject: restricted.subjectText,
      extendedKeyUsage: restricted.extendedKeyUsage?.purposes.join(),
    });

/** One part of the file: its name, its purpose, and the attesters that it lists. */
interface Part {
  readonly name: string;
  readonly purpose: AttestationPurpose;
  readonly listed: Attesters | undefined;
}

interface Trusted {
  readonly attesters: AttesterKeys | undefined;
  /** Below the same anchors, and with the same keys. */
  readonly status: StatusSignerKeys | undefined;
}

/** How the chains of a part are judged, and whose authorities count beside its own. */
interface PartRules {
  readonly chains: Omit<ChainVerifierOptions, 'maxEntries'>;
  readonly lists: AttesterLists | undefined;
}

/** Made again whenever the authorities on lists change. */
function chainsOver(own: readonly TrustAnchor[], { chains: rules, lists }: PartRules): () => ChainVerifier {
  let made: { readonly listed: readonly TrustAnchor[]; readonly chains: ChainVerifier } | undefined;
  return () => {
    const listed = lists?.anchors() ?? NO_ANCHORS;
    if (made?.listed !== listed) {
      const options = { maxEntries: REMEMBERED_CHAINS, ...rules };
      made = { listed, chains: createChainVerifier([...own, ...listed], options) };
    }
    return made.chains;
  };
}

async function trustIn(
  file: string,
  { name, purpose, listed = NOBODY }: Part,
  rules: PartRules,
  faults: Fault[],
): Promise<Trusted> {
  if (listed === NOBODY && !rules.lists) return { attesters: undefined, status: undefined };
  const anchors: TrustAnchor[] = [];
  for (const [index, anchor] of listed.anchors.entries()) {
    const anchorFile = path.resolve(path.dirname(file), anchor);
    anchors.push(...(await noting(faults, `${name}.anchors[${index}]`, () => readAnchors(anchorFile, purpose))));
  }
  const keys: ConfiguredKey[] = [];
  for (const [index, key] of listed.keys.entries()) {
    keys.push(...(await noting(faults, `${name}.keys[${index}]`, async () => [await readKey(key)])));
  }
  const chains = chainsOver(anchors, rules);
  return { attesters: keysFor(chains, keys, purpose), status: statusSignersFor(chains, keys, purpose) };
}

/**
 * Reads who may attest: a JSON file with `walletAttestation` and `keyAttestation`, each with `anchors` (PEM files) for
 * attestations with `x5c` and `keys` (public JWKs) for those without. A chain never includes its anchor.
 * Throws `attestation_trust_invalid` with every fault. `logger` receives warnings about certificates that are
 * restricted to other purposes, if the file only has them reported. The authorities on `lists` count for both parts; these
 * are followed by `follow` from then on, and may be at http and private addresses on `developmentHosts` only.
 */
export async function readAttesterTrust(
  file: string,
  logger: Reporting,
  follow: FollowAttesterLists,
  developmentHosts: readonly string[] = [],
): Promise<AttesterTrust> {
  const bytes = readBytes(file);
  const content = parseJsonBytes(bytes);
  const notJson = { path: 'file', message: 'is not JSON, or repeats a member name' };
  if (content === undefined) throw invalid(file, unreadableJsonFaults(bytes, notJson));
  const { value, faults } = judge(trustFile, content, { names: MEMBERS, isBody: false });
  if (!value) throw invalid(file, faults);
  const { extendedKeyUsage, walletAttestation, keyAttestation } = value;
  const chainRules = {
    leafCurves: ATTESTER_CURVES,
    skewSeconds: SKEW_SECONDS,
    extendedKeyUsage,
    reportUsage: reportTo(logger),
  };
  const addresses = value.lists.map(({ url }, index) => ({ path: `lists[${index}].url`, url }));
  faults.push(...addressFaults(addresses, developmentHosts));
  const settings = readLists(file, value.lists, readBytes, faults);
  if (faults.length > 0) throw invalid(file, faults);
  const lists = settings.length === 0 ? undefined : follow(settings);
  const rules: PartRules = { chains: chainRules, lists };
  const wallet: Part = { name: 'walletAttestation', purpose: 'wallet_attestation', listed: walletAttestation };
  const key: Part = { name: 'keyAttestation', purpose: 'key_attestation', listed: keyAttestation };
  const wallets = await trustIn(file, wallet, rules, faults);
  const keys = await trustIn(file, key, rules, faults);
  if (faults.length > 0) {
    await lists?.close();
    throw invalid(file, faults);
  }
  return {
    wallets: wallets.attesters,
    keys: keys.attesters,
    walletStatus: wallets.status,
    keyStatus: keys.status,
    lists,
  };
}
