import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { schemaFaults } from '@vestibule/contracts';
import { DomainError, type Fault, type JsonValue } from '@vestibule/foundation';
import {
  CredentialTypesError,
  DEFAULT_VALIDITY_SECONDS,
  loadCredentialTypes,
  parseIssuerDisplay,
  type CredentialType,
  type IssuerDisplay,
} from '@vestibule/oid4vci';
import { z } from 'zod';
import type { IssuableType } from '../../domain/credential-offer';

/** Beside the Type Metadata documents, which are public: what this issuer decides about its types on its own. */
const ISSUANCE_FILE = 'issuance.json';

const issuanceFile = z.strictObject({
  display: z.unknown().optional(),
  types: z.record(z.string(), z.strictObject({ validity_seconds: z.int().min(3_600).max(315_360_000) })).default({}),
});

export interface LoadedTypes {
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly display: readonly IssuerDisplay[];
}

/** Faults of configuration files: each with its file, the path in it and the reason. */
function invalid(faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'type_metadata_invalid', detail: list, faults });
}

const inFile = (file: string, faults: readonly Fault[]): Fault[] =>
  faults.map(({ path: place, message }) => ({ path: place === '' ? file : `${file}: ${place}`, message }));

function readIssuance(folder: string): { display: IssuerDisplay[]; validity: Map<string, number> } {
  const file = path.join(folder, ISSUANCE_FILE);
  if (!existsSync(file)) return { display: [], validity: new Map() };
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw invalid([{ path: file, message: 'is not JSON' }]);
  }
  const parsed = issuanceFile.safeParse(content);
  if (!parsed.success)
    throw invalid(inFile(file, schemaFaults(parsed.error, ['display', 'types', 'validity_seconds'])));
  const validity = new Map(Object.entries(parsed.data.types).map(([id, type]) => [id, type.validity_seconds]));
  const { display } = parsed.data;
  return { display: display === undefined ? [] : parseIssuerDisplay(display as JsonValue), validity };
}

function loadTypes(folder: string, issuerUrl: string): CredentialType[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== ISSUANCE_FILE);
  const files = names
    .sort()
    .map((name) => ({ configurationId: path.basename(name, '.json'), bytes: readFileSync(path.join(folder, name)) }));
  try {
    return loadCredentialTypes(files, issuerUrl);
  } catch (error) {
    if (!(error instanceof CredentialTypesError)) throw error;
    throw invalid(
      error.documents.flatMap((one) => inFile(path.join(folder, `${one.configurationId}.json`), one.faults)),
    );
  }
}

/**
 * Reads the credential types of this issuer: `<credential_configuration_id>.json` is the Type Metadata of one type, and
 * `issuance.json` may hold the issuer's display and a validity for each type (default one year).
 * Throws `type_metadata_invalid` that names file, path and reason of every fault.
 */
export function readTypeMetadataFolder(folder: string, issuerUrl: string): LoadedTypes {
  if (!existsSync(folder)) throw invalid([{ path: folder, message: 'does not exist' }]);
  const { display, validity } = readIssuance(folder);
  const types = loadTypes(folder, issuerUrl);
  if (types.length === 0) throw invalid([{ path: folder, message: 'holds no Type Metadata document' }]);
  const unknown = [...validity.keys()].filter((id) => !types.some((type) => type.configurationId === id));
  if (unknown.length > 0) {
    const file = path.join(folder, ISSUANCE_FILE);
    throw invalid(
      unknown.map((id) => ({ path: `${file}: types.${id}`, message: 'names no credential type of the folder' })),
    );
  }
  const issuable = types.map((type) => ({
    ...type,
    validitySeconds: validity.get(type.configurationId) ?? DEFAULT_VALIDITY_SECONDS,
  }));
  return { types: new Map(issuable.map((type) => [type.configurationId, type])), display };
}
