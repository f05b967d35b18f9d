import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Fault, JsonObject } from '@vestibule/foundation';
import {
  CredentialTypesError,
  loadCredentialTypes,
  type CredentialType,
  type IssuerDisplay,
  type TypeMetadataFile,
} from '@vestibule/oid4vci';
import type { IssuableType, IssuerIdentity } from '../../domain/credential-offer';
import { SHORT_LIVED_SECONDS } from '../../domain/credential-status';
import type { AttestationMode } from '../../domain/profile';
import { inFile, invalid, noting, readBytes } from './folder-faults';
import {
  DEFAULT_VALIDITY_SECONDS,
  nothingDecided,
  readIssuance,
  type IssuerIssuance,
  type TypeIssuance,
} from './issuance-file';
import { mostCredentialsOf } from './reuse-policy';

/** A file beside the Type Metadata documents, which are public, with this issuer's own settings for its types. */
const ISSUANCE_FILE = 'issuance.json';
/** The keys of every credential of the EU profile are attested. */
const ANY_LEVEL: IssuableType['keyAttestation'] = { keyStorage: [], userAuthentication: [] };
/** What attests the keys of a wallet secure cryptographic device (TS3 1.5 §2.3.2). */
const IN_WSCD = ['iso_18045_high'];

/** An issuer identifier and its credential types, of which there is at least one. */
export interface LoadedIssuer {
  readonly identity: IssuerIdentity;
  /** Undefined where the configuration decides. */
  readonly attestations: AttestationMode | undefined;
  readonly display: readonly IssuerDisplay[];
  /** About the registration of the issuer; empty by default. */
  readonly issuerInfo: readonly JsonObject[];
  readonly types: ReadonlyMap<string, IssuableType>;
}

export interface LoadedTypes {
  /** Those of all identifiers. */
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly issuers: readonly LoadedIssuer[];
}

function loadTypes(
  folder: string,
  files: readonly TypeMetadataFile[],
  issuerUrl: string,
  issuerUrlOf: (configurationId: string) => string,
): CredentialType[] {
  try {
    return loadCredentialTypes(files, issuerUrl, issuerUrlOf);
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

function unknownTypes(file: string, issuers: readonly IssuerIssuance[], names: readonly string[]): Fault[] {
  return issuers.flatMap(({ identity: { name }, types }) =>
    [...types.keys()]
      .filter((id) => !names.includes(`${id}.json`))
      .map((id) => ({
        path: `${file}: ${name === '' ? '' : `issuers.${name}.`}types.${id}`,
        message: 'is not a credential type in the folder',
      })),
  );
}

/**
 * The key of a PID is in a wallet secure cryptographic device (TS3 1.5 §2.3.2), unless `key_storage` names other levels.
 */
function keyAttestationOf(
  { profile }: IssuerIdentity,
  decided: TypeIssuance | undefined,
): IssuableType['keyAttestation'] {
  const { key_attestation: wanted, pid: isPid = false } = decided ?? {};
  const required = wanted ?? (profile === 'eudi' || isPid ? ANY_LEVEL : undefined);
  const needsDevice = isPid && required?.keyStorage.length === 0;
  return required && needsDevice ? { ...required, keyStorage: IN_WSCD } : required;
}

/** Credentials can be revoked unless they expire within a day, or the issuer decides otherwise. */
function issuableType(type: CredentialType, issuer: IssuerIdentity, decided: TypeIssuance | undefined): IssuableType {
  const validitySeconds = decided?.validity_seconds ?? DEFAULT_VALIDITY_SECONDS;
  const hasStatus = decided?.status_list ?? validitySeconds > SHORT_LIVED_SECONDS;
  // Set later by the settings, which know the batch and the chain.
  const mostClaimBytes = () => Number.POSITIVE_INFINITY;
  const { proof_signing_alg_values: proofAlgorithms, pid: isPid = false } = decided ?? {};
  const policy = decided?.credential_reuse_policy;
  return {
    ...type,
    issuer,
    validitySeconds,
    hasStatus,
    mostClaimBytes,
    keyAttestation: keyAttestationOf(issuer, decided),
    proofAlgorithms,
    isPid,
    ...(policy ? { reusePolicy: policy as JsonObject, mostCredentials: mostCredentialsOf(policy) } : {}),
  };
}

/** The identifier of each type: the one that lists it, else that of the installation. */
function ownersOf(issuers: readonly IssuerIssuance[]): (configurationId: string) => IssuerIssuance {
  const [installation] = issuers;
  if (!installation) throw new RangeError('an installation has an issuer identifier');
  return (id) => issuers.find(({ types }) => types.has(id)) ?? installation;
}

/**
 * Reads the credential types of this installation: `<credential_configuration_id>.json` is the Type Metadata of one type,
 * and `issuance.json` may contain the issuer's display and, for each type, its validity (default one year), whether it
 * has a status list, the key attestation that it requires, the algorithms of its keys, and how often a
 * credential may be presented; `issuer_info`, the profile, and further issuer identifiers with types of their own.
 * Throws `type_metadata_invalid` with the file, path and reason of every fault.
 */
export function readTypeMetadataFolder(folder: string, issuerUrl: string): LoadedTypes {
  const faults: Fault[] = [];
  const names = typeMetadataNames(folder);
  const issuanceFileName = path.join(folder, ISSUANCE_FILE);
  const issuances = noting(faults, nothingDecided(issuerUrl), () => readIssuance(issuanceFileName, issuerUrl));
  faults.push(...unknownTypes(issuanceFileName, issuances, names));
  const files = names.flatMap((name) =>
    noting<TypeMetadataFile[]>(faults, [], () => [
      { configurationId: path.basename(name, '.json'), bytes: readBytes(path.join(folder, name)) },
    ]),
  );
  const ownerOf = ownersOf(issuances);
  const types = noting(faults, [], () => loadTypes(folder, files, issuerUrl, (id) => ownerOf(id).identity.url));
  if (faults.length > 0) throw invalid(faults);
  const issuable = types.map((type) => {
    const { identity, types: decided } = ownerOf(type.configurationId);
    return issuableType(type, identity, decided.get(type.configurationId));
  });
  const byId = (all: readonly IssuableType[]) => new Map(all.map((type) => [type.configurationId, type]));
  const issuers = issuances.map((issuance) => ({
    ...issuance,
    types: byId(issuable.filter(({ issuer }) => issuer.name === issuance.identity.name)),
  }));
  return { types: byId(issuable), issuers: issuers.filter((issuer) => issuer.types.size > 0) };
}
