import { randomBytes, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createDevelopmentPki, toPem } from '@vestibule/dev-pki';
import { DATABASE_SERVICES, type DatabaseService } from './provision-database';
import { TYPE_METADATA_SAMPLES } from './type-metadata-samples';

/** Secrets of a stack, made once and kept in its folder. */
export interface StackSecrets {
  /** Seals personal data at rest: 32 bytes in base64url. */
  readonly sealingKey: string;
  /** The first key of the wallet content API. */
  readonly apiKey: string;
  readonly databasePasswords: Readonly<Record<DatabaseService, string>>;
}

/** The files of a stack: secrets, the development PKI in PEM, the trust file, Type Metadata in `types/`. */
export interface StackFiles {
  readonly folder: string;
  readonly secrets: StackSecrets;
  /** PEM of the root that the verifier trusts. */
  readonly rootFile: string;
  /** True when the PKI was made for this start. */
  readonly hasNewPki: boolean;
}

const ROOT = 'root.pem';
const RENEWAL_DAYS = 7;
const DAY_MILLISECONDS = 86_400_000;

/** Readable for nobody else from the first byte on, and whole or not there at all. */
function writePrivate(file: string, text: string): void {
  const partial = `${file}.partial`;
  writeFileSync(partial, text, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, file);
}

const secret = (bytes: number) => randomBytes(bytes).toString('base64url');

/** 32 bytes that say of themselves that they are for development: a service with a public address refuses them. */
const developmentKey = () =>
  Buffer.concat([Buffer.from('development-', 'base64url'), randomBytes(23)]).toString('base64url');

function createSecrets(thrownAway: boolean): StackSecrets {
  const passwords = DATABASE_SERVICES.map((service) => [service, secret(24)]);
  return {
    sealingKey: thrownAway ? developmentKey() : secret(32),
    apiKey: secret(32),
    databasePasswords: Object.fromEntries(passwords) as Record<DatabaseService, string>,
  };
}

function keepSecrets(file: string, thrownAway: boolean): StackSecrets {
  if (!existsSync(file)) writePrivate(file, `${JSON.stringify(createSecrets(thrownAway), null, 2)}\n`);
  return JSON.parse(readFileSync(file, 'utf8')) as StackSecrets;
}

/** True when the certificates are there and good for some days more. */
function hasGoodPki(folder: string): boolean {
  const names = [ROOT, 'verifier.pem', 'verifier-key.pem', 'issuer.pem', 'issuer-key.pem', 'trust.json'];
  if (!names.every((name) => existsSync(path.join(folder, name)))) return false;
  const renewal = Date.now() + RENEWAL_DAYS * DAY_MILLISECONDS;
  return ['verifier.pem', 'issuer.pem'].every((name) => {
    const { validTo } = new X509Certificate(readFileSync(path.join(folder, name)));
    return Date.parse(validTo) > renewal;
  });
}

async function writePki(folder: string, urls: readonly string[]): Promise<void> {
  const hosts = [...new Set(['localhost', ...urls.map((url) => new URL(url).host)])];
  const pki = await createDevelopmentPki({ now: new Date(), hosts, uris: [...new Set(urls)] });
  const trust = { policy: 'auto', anchors: [{ file: ROOT, purposes: ['credential', 'status'] }] };
  const files: Readonly<Record<string, string>> = {
    [ROOT]: toPem(pki.root.certificate),
    'verifier.pem': toPem(pki.verifier.chain),
    'verifier-key.pem': toPem(pki.verifier.privateKey),
    'issuer.pem': toPem(pki.issuer.chain),
    'issuer-key.pem': toPem(pki.issuer.privateKey),
    'trust.json': `${JSON.stringify(trust, null, 2)}\n`,
  };
  for (const [name, text] of Object.entries(files)) writePrivate(path.join(folder, name), text);
}

function writeSamples(folder: string): void {
  if (existsSync(folder)) return;
  const partial = `${folder}.partial`;
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  for (const [name, document] of Object.entries(TYPE_METADATA_SAMPLES)) {
    writePrivate(path.join(partial, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
  }
  renameSync(partial, folder);
}

/**
 * Makes what a stack needs on the disk, in `folder`, readable for this user only; what is there already stays, so that
 * credentials issued before a restart are still trusted and types that somebody added are kept.
 * @param urls public addresses that the certificates are for
 * @param options.thrownAway the data ends with the stack, so a development key is good enough to seal it
 */
export async function ensureStackFiles(
  folder: string,
  urls: readonly string[],
  { thrownAway = false }: { readonly thrownAway?: boolean } = {},
): Promise<StackFiles> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const hasNewPki = !hasGoodPki(folder);
  if (hasNewPki) await writePki(folder, urls);
  writeSamples(path.join(folder, 'types'));
  const secrets = keepSecrets(path.join(folder, 'secrets.json'), thrownAway);
  return { folder, secrets, rootFile: path.join(folder, ROOT), hasNewPki };
}

/** The next start makes a new PKI. */
export function forgetPki({ rootFile }: StackFiles): void {
  rmSync(rootFile, { force: true });
}
