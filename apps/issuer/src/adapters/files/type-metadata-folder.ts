import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { dictionary, judge } from '@vestibule/contracts';
import {
  DomainError,
  parseJsonBytes,
  unreadableJsonFaults,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import {
  CredentialTypesError,
  loadCredentialTypes,
  parseIssuerDisplay,
  type CredentialType,
  type IssuerDisplay,
  type TypeMetadataFile,
} from '@vestibule/oid4vci';
import { readConfigurationFile } from '@vestibule/process';
import { z } from 'zod';
import type { IssuableType } from '../../domain/credential-offer';
import { SHORT_LIVED_SECONDS } from '../../domain/credential-status';
import { issuerInfo, mostCredentialsOf, REUSE_POLICY_MEMBERS, reusePolicy } from './reuse-policy';

/** A file beside the Type Metadata documents, which are public, with this issuer's own settings for its types. */
const ISSUANCE_FILE = 'issuance.json';
/** One year. */
const DEFAULT_VALIDITY_SECONDS = 31_536_000;

const levels = z.array(z.string().min(1).max(256)).min(1).max(20);
const typeIssuance = z.strictObject({
  validity_seconds: z.int().min(3_600).max(315_360_000).default(DEFAULT_VALIDITY_SECONDS),
  status_list: z.boolean().optional(),
  /** If present, keys must be attested; one of these levels is enough (OpenID4VCI 1.0 Appendix D.2). */
  key_attestation: z
    .strictObject({ key_storage: levels.optional(), user_authentication: levels.optional() })
    .transform(({ key_storage: keyStorage = [], user_authentication: userAuthentication = [] }) => ({
      keyStorage,
      userAuthentication,
    }))
    .optional(),
  /** What its keys may sign with: `jwt` proofs, and presentations. */
  proof_signing_alg_values: z
    .array(z.enum(['ES256', 'ES384']))
    .min(1)
    .max(2)
    .optional(),
  credential_reuse_policy: reusePolicy.optional(),
});
const issuanceFile = z.strictObject({
  display: z.unknown().optional(),
  issuer_info: issuerInfo.optional(),
  types: dictionary(z.string(), typeIssuance).default({}),
});
const ISSUANCE_MEMBERS = [
  'display',
  'types',
  'validity_seconds',
  'status_list',
  'key_attestation',
  'key_storage',
  'user_authentication',
  'proof_signing_alg_values',
  'issuer_info',
  'format',
  'data',
  ...REUSE_POLICY_MEMBERS,
];

export interface LoadedTypes {
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly display: readonly IssuerDisplay[];
  /** About the registration of the issuer; empty by default. */
  readonly issuerInfo: readonly JsonObject[];
}

type TypeIssuance = z.infer<typeof typeIssuance>;

interface Issuance {
  readonly display: readonly IssuerDisplay[];
  readonly issuerInfo: readonly JsonObject[];
  readonly types: ReadonlyMap<string, TypeIssuance>;
}

const NOTHING_DECIDED: Issuance = { display: [], issuerInfo: [], types: new Map() };

/** A failure for faults of configuration files, each with its file, the path in it and the reason. */
function invalid(faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'type_metadata_invalid', detail: list, faults });
}

const inFile = (file: string, faults: readonly Fault[], below = ''): Fault[] =>
  faults.map(({ path: place, message }) => {
    const separator = below === '' || place === '' || place.startsWith('[') ? '' : '.';
    const inside = `${below}${separator}${place}`;
    return { path: inside === '' ? file : `${file}: ${inside}`, message };
  });

/** The result of `read`; if that throws, `otherwise`, and the error is noted as in {@link invalid}. */
function noting<Result>(noted: Fault[], otherwise: Result, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'type_metadata_invalid') throw error;
    noted.push(...error.faults);
    return otherwise;
  }
}

const readBytes = (file: string): Uint8Array =>
  readConfigurationFile(file, (message) => invalid([{ path: file, message }]));

function readDisplay(file: string, display: unknown): IssuerDisplay[] {
  if (display === undefined) return [];
  try {
    return parseIssuerDisplay(display as JsonValue);
  } catch (error) {
    if (error instanceof DomainError) throw invalid(inFile(file, error.faults, 'display'));
    throw error;
  }
}

function readIssuance(file: string): Issuance {
  if (!existsSync(file)) return NOTHING_DECIDED;
  const bytes = readBytes(file);
  const content = parseJsonBytes(bytes);
  const notJson = { path: '', message: 'is not JSON, or repeats a member name' };
  if (content === undefined) throw invalid(inFile(file, unreadableJsonFaults(bytes, notJson)));
  const { value, faults } = judge(issuanceFile, content, { names: ISSUANCE_MEMBERS, isBody: false });
  if (!value) throw invalid(inFile(file, faults));
  const { display, types, issuer_info: info = [] } = value;
  return { display: readDisplay(file, display), issuerInfo: info, types: new Map(Object.entries(types)) };
}

function loadTypes(folder: string, files: readonly TypeMetadataFile[], issuerUrl: string): CredentialType[] {
  try {
    return loadCredentialTypes(files, issuerUrl);
  } catch (error) {
    if (!(error instanceof CredentialTypesError)) throw error;
    throw invalid(
      error.documents.flatMap((one) => inFile(path.join(folder, `${one.configurationId}.json`), one.faults)),
    );
  }
}

function typeMetadataNames(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw invalid([{ path: folder, message: `cannot be read (${(error as NodeJS.ErrnoException).code})` }]);
  }
  const documents = names.filter((name) => name.endsWith('.json') && name !== ISSUANCE_FILE).sort();
  if (documents.length === 0) throw invalid([{ path: folder, message: 'does not contain a Type Metadata document' }]);
  return documents;
}

function unknownTypes(file: string, issuance: Issuance, names: readonly string[]): Fault[] {
  return [...issuance.types.keys()]
    .filter((id) => !names.includes(`${id}.json`))
    .map((id) => ({ path: `${file}: types.${id}`, message: 'is not a credential type in the folder' }));
}

/** Credentials can be revoked unless they expire within a day, or the issuer decides otherwise. */
function issuableType(type: CredentialType, decided: TypeIssuance | undefined): IssuableType {
  const validitySeconds = decided?.validity_seconds ?? DEFAULT_VALIDITY_SECONDS;
  const hasStatus = decided?.status_list ?? validitySeconds > SHORT_LIVED_SECONDS;
  // Set later by the settings, which know the batch and the chain.
  const mostClaimBytes = Number.POSITIVE_INFINITY;
  const { key_attestation: keyAttestation, proof_signing_alg_values: proofAlgorithms } = decided ?? {};
  const policy = decided?.credential_reuse_policy;
  return {
    ...type,
    validitySeconds,
    hasStatus,
    mostClaimBytes,
    keyAttestation,
    proofAlgorithms,
    ...(policy ? { reusePolicy: policy as JsonObject, mostCredentials: mostCredentialsOf(policy) } : {}),
  };
}

/**
 * Reads the credential types of this issuer: `<credential_configuration_id>.json` is the Type Metadata of one type, and
 * `issuance.json` may contain the issuer's display and, for each type, its validity (default one year), whether it has
 * a status list, the key attestation that it requires, the algorithms of its keys, and how often a
 * credential may be presented; and `issuer_info`.
 * Throws `type_metadata_invalid` with the file, path and reason of every fault.
 */
export function readTypeMetadataFolder(folder: string, issuerUrl: string): LoadedTypes {
  const faults: Fault[] = [];
  const names = typeMetadataNames(folder);
  const issuanceFileName = path.join(folder, ISSUANCE_FILE);
  const issuance = noting(faults, NOTHING_DECIDED, () => readIssuance(issuanceFileName));
  faults.push(...unknownTypes(issuanceFileName, issuance, names));
  const files = names.flatMap((name) =>
    noting<TypeMetadataFile[]>(faults, [], () => [
      { configurationId: path.basename(name, '.json'), bytes: readBytes(path.join(folder, name)) },
    ]),
  );
  const types = noting(faults, [], () => loadTypes(folder, files, issuerUrl));
  if (faults.length > 0) throw invalid(faults);
  const issuable = types.map((type) => issuableType(type, issuance.types.get(type.configurationId)));
  return {
    types: new Map(issuable.map((type) => [type.configurationId, type])),
    display: issuance.display,
    issuerInfo: issuance.issuerInfo,
  };
}
