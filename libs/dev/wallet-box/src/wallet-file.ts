import { createPrivateKey, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SavedWallet } from '@vestibule/demo-wallet';
import type { IssuerIdentity } from './mint';

/** A file cannot be used: the message names the file and the reason, never what it holds. */
export class FileFault extends Error {}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new FileFault(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}

const isSaved = (value: unknown): value is SavedWallet => {
  const { keys, credentials } = (value ?? {}) as Partial<SavedWallet>;
  return Array.isArray(keys) && Array.isArray(credentials);
};

/** A wallet that was written by {@link writeWallet}. Throws a {@link FileFault}. */
export function readWallet(file: string): SavedWallet {
  const text = read(file);
  try {
    const saved: unknown = JSON.parse(text);
    if (isSaved(saved)) return saved;
  } catch {
    throw new FileFault(`${file} is not JSON`);
  }
  throw new FileFault(`${file} is not a file of this wallet`);
}

/** The wallet in that file; undefined if there is no such file. */
export const findWallet = (file: string): SavedWallet | undefined => (existsSync(file) ? readWallet(file) : undefined);

/** Replaces the file as a whole; it holds private keys and is readable for this user only. */
export function writeWallet(file: string, saved: SavedWallet): void {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    writeFileSync(partial, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, file);
  } catch (error) {
    throw new FileFault(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}

/** An issuer in two PEM files: its certificates, leaf first, and the key of the leaf. Throws a {@link FileFault}. */
export function readIssuerIdentity(chainFile: string, keyFile: string): IssuerIdentity {
  const chain = [...read(chainFile).matchAll(CERTIFICATE)].map(([, body = '']) => Buffer.from(body, 'base64'));
  if (chain.length === 0) throw new FileFault(`${chainFile} has no certificate`);
  const pem = read(keyFile);
  try {
    return { chain, key: createPrivateKey(pem) };
  } catch {
    throw new FileFault(`${keyFile} is not a private key in PEM`);
  }
}
