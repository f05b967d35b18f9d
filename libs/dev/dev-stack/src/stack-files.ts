import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { ensurePkiFiles, ROOT_FILE } from './pki-files';
import { DATABASE_SERVICES, type DatabaseService } from './provision-database';
import { ISSUANCE_SAMPLE, TYPE_METADATA_SAMPLES } from './type-metadata-samples';
import { writePrivate } from './write-private';

/** The secrets of a stack, created once and kept in its folder. */
export interface StackSecrets {
  /** Seals personal data at rest: 32 bytes in base64url. */
  readonly sealingKey: string;
  /** The first key of the wallet content API. */
  readonly apiKey: string;
  /** Signs callbacks: `whsec_…`. */
  readonly callbackSecret: string;
  readonly databasePasswords: Readonly<Record<DatabaseService, string>>;
}

/** The files of a stack: secrets, the development PKI in PEM, the trust file, Type Metadata in `types/`. */
export interface StackFiles {
  readonly folder: string;
  readonly secrets: StackSecrets;
  /** The verifier's anchors as PEM: the root, and former ones that have not expired. */
  readonly rootFile: string;
}

const secret = (bytes: number) => randomBytes(bytes).toString('base64url');

/** 32 bytes that are recognisable as a development key: a service with a public address refuses them. */
const developmentKey = () =>
  Buffer.concat([Buffer.from('development-', 'base64url'), randomBytes(23)]).toString('base64url');

function createSecrets(thrownAway: boolean): StackSecrets {
  const passwords = DATABASE_SERVICES.map((service) => [service, secret(24)]);
  return {
    sealingKey: thrownAway ? developmentKey() : secret(32),
    apiKey: secret(32),
    callbackSecret: `whsec_${randomBytes(32).toString('base64')}`,
    databasePasswords: Object.fromEntries(passwords) as Record<DatabaseService, string>,
  };
}

/** Those of an older version lack what was added since. */
function keepSecrets(file: string, thrownAway: boolean): StackSecrets {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<StackSecrets>) : {};
  const secrets = { ...createSecrets(thrownAway), ...kept };
  if (Object.keys(secrets).some((name) => !Object.hasOwn(kept, name)))
    writePrivate(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function writeSamples(folder: string): void {
  if (existsSync(folder)) return;
  const partial = `${folder}.partial`;
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  for (const [name, document] of Object.entries(TYPE_METADATA_SAMPLES)) {
    writePrivate(path.join(partial, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
  }
  writePrivate(path.join(partial, 'issuance.json'), `${JSON.stringify(ISSUANCE_SAMPLE, null, 2)}\n`);
  renameSync(partial, folder);
}

export interface StackFilesOptions {
  /** The data is deleted with the stack, so a development key is sufficient to seal it. */
  readonly thrownAway?: boolean;
  readonly now?: Date;
}

/**
 * Creates the files of a stack in `folder`, readable for this user only. Existing files are kept, so that credentials
 * issued before a restart are still trusted and added types remain. Certificates that expire soon, or are for other
 * addresses, are renewed: see {@link ensurePkiFiles}.
 * @param urls public addresses that the certificates are for
 */
export async function ensureStackFiles(
  folder: string,
  urls: readonly string[],
  { thrownAway = false, now = new Date() }: StackFilesOptions = {},
): Promise<StackFiles> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await ensurePkiFiles(folder, urls, now);
  writeSamples(path.join(folder, 'types'));
  const secrets = keepSecrets(path.join(folder, 'secrets.json'), thrownAway);
  return { folder, secrets, rootFile: path.join(folder, ROOT_FILE) };
}
