import path from 'node:path';
import { DomainError, parseJsonBytes, unreadableJsonFaults, type Fault } from '@vestibule/foundation';
import { judge } from '@vestibule/contracts';
import { addressFaults } from '@vestibule/egress';
import { documentAddress, readConfigurationFile, TRUSTED_LIST_MEMBERS, type Logger } from '@vestibule/process';
import { coveredBy } from '@vestibule/oid4vp';
import type { TypeDocument } from '@vestibule/sd-jwt-vc';
import {
  checkTrustAnchors,
  createChainVerifier,
  EXTENDED_KEY_USAGE_POLICIES,
  parseCertificateFile,
  PURPOSES,
  TRUST_POLICIES,
  type Certificate,
  type Purpose,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import { z } from 'zod';
import type { HostedDocument } from '../lists/hosted-documents';
import { listItem, readListSettings } from '../lists/list-settings';
import type { TrustWithLists } from '../lists/listed-trust';
import { metadataIssuers, name } from './metadata-issuers';
import { readSubtypes, type Subtypes } from './read-subtypes';
import type { FileReader } from '@vestibule/keys';

const issuerBinding = z.discriminatedUnion('policy', [
  z.strictObject({ policy: z.literal('none') }),
  z.strictObject({ policy: z.literal('san') }),
  z.strictObject({ policy: z.literal('allowlist'), issuers: z.array(name).min(1) }),
]);

/** The single purpose of attestations, before wallet and key attestations were distinguished. */
const FORMER_PURPOSE = 'attestation';
const purpose = z.enum([...PURPOSES, FORMER_PURPOSE]);

const anchor = z.strictObject({
  file: z.string().min(1),
  purposes: z.array(purpose).min(1).default(['credential', 'status']),
  /** Overrides the binding of the whole file. */
  issuerBinding: issuerBinding.optional(),
  vcts: z.array(name).min(1).optional(),
});

const list = listItem({ vcts: z.array(name).min(1).optional(), issuerBinding: issuerBinding.optional() });

/** On a host; its exact bytes are fixed by their hash. */
const hostedDocument = z.strictObject({
  url: documentAddress,
  integrity: z.string().regex(/^sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}$/, 'must be a hash, such as sha256-…'),
});

type AnchorItem = z.infer<typeof anchor>;

const trustFile = z
  .strictObject({
    policy: z.enum(TRUST_POLICIES).default('auto'),
    /** Default: `san` below an anchor, `none` otherwise. */
    issuerBinding: issuerBinding.optional(),
    extendedKeyUsage: z.enum(EXTENDED_KEY_USAGE_POLICIES).default('enforce'),
    /** Required where no list is named: an empty array trusts nobody. */
    anchors: z.array(anchor).optional(),
    /** Lists of trusted entities (ETSI TS 119 602), whose entities are anchors as well. */
    lists: z.array(list).max(20).default([]),
    metadataIssuers: metadataIssuers.default([]),
    /** Which types may be presented for a query of another; read by `readSubtypes`. */
    subtypes: z.unknown().optional(),
    /** Type Metadata documents, whose `extends` counts as an entry of `subtypes`; relative to this file. */
    typeMetadata: z
      .array(z.union([z.string().min(1), hostedDocument]))
      .max(100)
      .default([]),
    /** Credential types whose credentials may have `typ` `vc+sd-jwt`, as early drafts of SD-JWT VC had it. */
    legacyTypes: z.array(name).default([]),
  })
  .superRefine(({ anchors, lists }, context) => {
    if (anchors === undefined && lists.length === 0)
      context.addIssue({ code: 'custom', path: ['anchors'], message: 'is required' });
  });

type TrustFile = z.infer<typeof trustFile>;
type TrustLogger = Pick<Logger, 'warn'>;

export interface TrustFileReading {
  readonly files: FileReader;
  readonly logger: TrustLogger;
  /** The tolerated clock skew for the validity of certificates. */
  readonly skewSeconds: number;
  /** Hosts whose documents may be at http and private addresses. */
  readonly developmentHosts?: readonly string[] | undefined;
}

const MEMBERS = [
  'integrity',
  ...TRUSTED_LIST_MEMBERS,
  'policy',
  'issuerBinding',
  'extendedKeyUsage',
  'anchors',
  'file',
  'purposes',
  'vcts',
  'issuers',
  'metadataIssuers',
  'issuer',
  'subtypes',
  'typeMetadata',
  'legacyTypes',
];
const REMEMBERED_CHAINS = 1_000;

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'trust_file_invalid', detail: `${file}: ${list}`, faults });
}

function readBytes(file: string, files: FileReader): Buffer {
  const fail = (message: string) => invalid(file, [{ path: 'file', message }]);
  return readConfigurationFile(file, fail, (name) => files.read(name));
}

/** JSON without repeated member names: of two policies, it would be unclear which one applies. */
function readJson(file: string, files: FileReader): unknown {
  const bytes = readBytes(file, files);
  const value = parseJsonBytes(bytes);
  const notJson = { path: 'file', message: 'is not JSON, or repeats a member name' };
  if (value === undefined) throw invalid(file, unreadableJsonFaults(bytes, notJson));
  return value;
}

function currentPurposes(purposes: AnchorItem['purposes']): readonly Purpose[] {
  return purposes.flatMap((name) => (name === FORMER_PURPOSE ? ['wallet_attestation', 'key_attestation'] : name));
}

function readAnchor(file: string, { file: name, ...item }: AnchorItem, files: FileReader): TrustAnchor[] {
  const scope = { ...item, purposes: currentPurposes(item.purposes) };
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

/** Also refuses addresses that would never be requested. */
function readLists(file: string, { lists, typeMetadata }: TrustFile, reading: TrustFileReading) {
  const { files, developmentHosts = [] } = reading;
  const listed = lists.map(({ url }, index) => ({ path: `lists[${index}].url`, url }));
  const hosted = hostedIn(typeMetadata).map(({ url, place }) => ({ path: `${place}.url`, url }));
  const faults = addressFaults([...listed, ...hosted], developmentHosts);
  const settings = readListSettings(lists, { trustFile: file, files }, faults);
  if (faults.length > 0) throw invalid(file, faults);
  return settings;
}

function readTypeDocuments(file: string, items: TrustFile['typeMetadata'], files: FileReader): TypeDocument[] {
  return items.flatMap((name, index) => {
    if (typeof name !== 'string') return [];
    const fail = (message: string) => invalid(file, [{ path: `typeMetadata[${index}]`, message }]);
    const place = path.resolve(path.dirname(file), name);
    const bytes = readConfigurationFile(place, fail, (one) => files.read(one));
    return [{ place: `typeMetadata[${index}]`, bytes }];
  });
}

const hostedIn = (items: TrustFile['typeMetadata']): HostedDocument[] =>
  items.flatMap((item, index) => (typeof item === 'string' ? [] : [{ ...item, place: `typeMetadata[${index}]` }]));

/**
 * The subtypes with what is known of the documents, and whether that is all. Without hosted ones a fault is one of the file;
 * with them it may only mean that one is missing yet: then no document counts, and the operator is told.
 */
function subtypesOf(
  file: string,
  { subtypes, typeMetadata }: TrustFile,
  own: readonly TypeDocument[],
  logger: TrustLogger,
) {
  const hosted = hostedIn(typeMetadata).length;
  const hasHosted = hosted > 0;
  const alone = readSubtypes(subtypes, hasHosted ? [] : own);
  if (alone.faults.length > 0) throw invalid(file, alone.faults);
  return (fetched: readonly TypeDocument[]): Subtypes & { readonly areSubtypesKnown: boolean } => {
    const all = hasHosted ? readSubtypes(subtypes, [...own, ...fetched]) : alone;
    if (all.faults.length === 0) return { ...all, areSubtypesKnown: fetched.length === hosted };
    const faults = all.faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
    logger.warn('Type Metadata cannot be used: none of the documents counts', { file, faults });
    return { ...alone, areSubtypesKnown: false };
  };
}

/** The purposes that are used here: attestations concern the issuer service, requests and metadata concern wallets. */
const VERIFIED_HERE: readonly string[] = ['credential', 'status'];

const NONE_MEANS = 'anyone whom such an anchor certifies, directly or indirectly, may claim any iss';

/** Logs effects of the file that its author may not be aware of. */
function explain(
  file: string,
  { anchors = [], lists, issuerBinding: binding, extendedKeyUsage }: TrustFile,
  logger: TrustLogger,
) {
  const former = anchors.filter(({ purposes }) => purposes.includes(FORMER_PURPOSE)).map(({ file: name }) => name);
  if (former.length > 0) {
    logger.warn('the purpose attestation stands for wallet_attestation and key_attestation: use these instead', {
      file,
      anchors: former.join(),
    });
  }
  const others = anchors.filter(({ purposes }) => purposes.some((name) => !VERIFIED_HERE.includes(name)));
  if (others.length > 0) {
    logger.warn('purposes of anchors other than credential and status have no effect in this file', {
      file,
      anchors: others.map(({ file: name }) => name).join(),
    });
  }
  const isUnbound = (item: AnchorItem | TrustFile['lists'][number]) =>
    (item.issuerBinding ?? binding)?.policy === 'none';
  const unbound = [
    ...anchors.filter(isUnbound).map((item) => item.file),
    ...lists.filter((item) => item.vcts && isUnbound(item)).map((item) => item.id),
  ];
  if (unbound.length > 0) logger.warn(`issuerBinding is none: ${NONE_MEANS}`, { file, anchors: unbound.join() });
  if (extendedKeyUsage === 'report') {
    logger.warn('extendedKeyUsage is report: certificates for other purposes, such as TLS servers, are accepted', {
      file,
    });
  }
}

const reportTo =
  (logger: TrustLogger) =>
  (restricted: Certificate, forPurpose: Purpose): void =>
    logger.warn('a certificate is restricted to other purposes; this is only reported', {
      purpose: forPurpose,
      subject: restricted.subjectText,
      extendedKeyUsage: restricted.extendedKeyUsage?.purposes.join(),
    });

/**
 * Reads the trust configuration: a JSON file that names anchors (PEM or DER, relative to itself) with their purposes
 * and credential types, lists of trusted entities with their signers, the policy for issuers without an anchor, how
 * `iss` must match the certificate, the issuers whose keys come from their metadata, the subtypes, and the types that
 * may have the `typ` of early drafts. Throws `trust_file_invalid` with every fault; a faulty certificate is reported in
 * the fault of its anchor. `logger` receives warnings about deprecated names, the effect of `none`, and certificates
 * that are only reported.
 */
export function readTrustFile(file: string, reading: TrustFileReading): TrustWithLists {
  const { files, logger, skewSeconds } = reading;
  const { value, faults } = judge(trustFile, readJson(file, files), { names: MEMBERS, isBody: false });
  if (!value) throw invalid(file, faults);
  const { policy, issuerBinding: binding, anchors = [], extendedKeyUsage, metadataIssuers, legacyTypes } = value;
  const subtypesWith = subtypesOf(file, value, readTypeDocuments(file, value.typeMetadata, files), logger);
  const ownAnchors = readAnchors(file, anchors, files);
  const settings = readLists(file, value, reading);
  const reportUsage = reportTo(logger);
  const withLists: TrustWithLists['withLists'] = (listed, lists, fetched) => {
    const { subtypes, typeDocuments, areSubtypesKnown } = subtypesWith(fetched);
    const covered = coveredBy({ lists, metadataIssuers, subtypes, areSubtypesKnown });
    const rules = { maxEntries: REMEMBERED_CHAINS, skewSeconds, extendedKeyUsage, reportUsage };
    const chains = createChainVerifier([...ownAnchors, ...listed], rules);
    return { chains, policy, binding, covered, metadataIssuers, subtypes, typeDocuments, legacyTypes };
  };
  explain(file, value, logger);
  return { ...withLists([], [], []), settings, hosted: hostedIn(value.typeMetadata), withLists };
}
