import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KeyObject } from 'node:crypto';
import { toPem } from '@vestibule/dev-pki';
import { readRetiredIssuerKey, type IssuerKey, type IssuerKeyFiles } from '../adapters/keys/issuer-key';
import { ISSUER_URL, NOW } from './issuer.fixture-spec';

/** A folder for the time of `use`. */
export function withFolder<Result>(files: Readonly<Record<string, string>>, use: (folder: string) => Result): Result {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-issuer-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A file for the time of `use`. */
export async function withFile<Result>(
  name: string,
  text: string,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-issuer-'));
  try {
    writeFileSync(path.join(folder, name), text);
    return await use(path.join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** No key is in a device. */
export function noDevice(): never {
  throw new RangeError('there is no device');
}

/** A key whose certificate must be valid at `now`. */
export function readIssuerKey({ now, ...files }: IssuerKeyFiles & { readonly now: Date }): IssuerKey {
  const key = readRetiredIssuerKey(files);
  key.signerAt(now);
  return key;
}

/** The issuer's key from PEM, through the files that it is read from. */
export function readIssuerKeyOf(certificatePem: string, key: KeyObject | string, now = NOW): IssuerKey {
  return withFolder({ 'issuer.pem': certificatePem }, (folder) =>
    readIssuerKey({
      certificateFile: path.join(folder, 'issuer.pem'),
      key: typeof key === 'string' ? key : toPem(key),
      openKey: noDevice,
      now,
      issuerUrl: ISSUER_URL,
    }),
  );
}
