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
  /** Sample types that a folder of an older version has got just now. */
  readonly addedTypes: readonly string[];
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

/** The samples that this data folder has got so far: one that somebody deleted is not made again. */
const GIVEN_FILE = 'given-samples.json';

const ownerOf = (name: string) =>
  Object.entries(ISSUANCE_SAMPLE.issuers).find(([, { types }]) => Object.hasOwn(types, name))?.[0];

/** Whether the settings in a folder have this issuer; the issuer service says what is wrong with unreadable ones. */
function hasIssuer(types: string, issuer: string): boolean {
  try {
    const settings: unknown = JSON.parse(readFileSync(path.join(types, 'issuance.json'), 'utf8'));
    return Object.hasOwn((settings as { readonly issuers?: object }).issuers ?? {}, issuer);
  } catch {
    return false;
  }
}

/** A type of an issuer that the settings of an older folder lack would be issued by another one. */
function belongs(types: string, name: string): boolean {
  const owner = ownerOf(name);
  return owner === undefined || hasIssuer(types, owner);
}

/** Puts samples of this version into a folder of an older one. Returns their names. */
function addSamples(types: string, given: readonly string[]): readonly string[] {
  const missing = SAMPLES.filter((name) => !given.includes(name) && !isThere(types, name));
  const added = missing.filter((name) => belongs(types, name));
  for (const name of added) writeSample(types, name);
  return added;
}

const SAMPLES = Object.keys(TYPE_METADATA_SAMPLES);
const isThere = (types: string, name: string) => existsSync(path.join(types, `${name}.json`));
const writeSample = (folder: string, name: string) =>
  writePrivate(path.join(folder, `${name}.json`), `${JSON.stringify(TYPE_METADATA_SAMPLES[name], null, 2)}\n`);

function createSamples(folder: string): void {
  const partial = `${folder}.partial`;
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  for (const name of SAMPLES) writeSample(partial, name);
  writePrivate(path.join(partial, 'issuance.json'), `${JSON.stringify(ISSUANCE_SAMPLE, null, 2)}\n`);
  renameSync(partial, folder);
}

/** The samples in `types/`. Returns the names of those that an existing folder got. */
function ensureSamples(folder: string): readonly string[] {
  const types = path.join(folder, 'types');
  const file = path.join(folder, GIVEN_FILE);
  const given = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) : [];
  const isNew = !existsSync(types);
  if (isNew) createSamples(types);
  const added = isNew ? [] : addSamples(types, given);
  const all = SAMPLES.filter((name) => given.includes(name) || isThere(types, name));
  if (all.length !== given.length) writePrivate(file, `${JSON.stringify(all)}\n`);
  return added;
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
  const addedTypes = ensureSamples(folder);
  const secrets = keepSecrets(path.join(folder, 'secrets.json'), thrownAway);
  return { folder, secrets, addedTypes, rootFile: path.join(folder, ROOT_FILE) };
}
