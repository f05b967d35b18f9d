import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DAY_MILLISECONDS = 86_400_000;
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const FILES = ['verifier', 'issuer', 'intermediate', 'root'];

/** A certificate of the local stack. */
export interface CertificateFact {
  readonly file: string;
  readonly subject: string;
  readonly validTo: string;
  readonly daysLeft: number;
}

const oneLine = (name: string) => name.split('\n').reverse().join(', ');

/** The first certificate of each file of the development PKI; a folder without them has none. */
export function readCertificates(folder: string, now: Date): CertificateFact[] {
  return FILES.flatMap((name) => {
    const file = path.join(folder, `${name}.pem`);
    const [pem] = (existsSync(file) ? readFileSync(file, 'utf8') : '').match(BLOCK) ?? [];
    if (pem === undefined) return [];
    const { subject, validTo } = new X509Certificate(pem);
    const daysLeft = Math.floor((Date.parse(validTo) - now.getTime()) / DAY_MILLISECONDS);
    return [{ file: `${name}.pem`, subject: oneLine(subject), validTo: new Date(validTo).toISOString(), daysLeft }];
  });
}

/** `trust.json` as it is. */
export function readTrust(folder: string): unknown {
  const file = path.join(folder, 'trust.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}

/** A credential type of the issuer with its Type Metadata. */
export interface TypeFact {
  readonly id: string;
  readonly metadata: unknown;
}

/** The types of the local issuer, from the documents that it publishes. */
export function readTypes(folder: string): TypeFact[] {
  const types = path.join(folder, 'types');
  if (!existsSync(types)) return [];
  return readdirSync(types)
    .filter((name) => name.endsWith('.json') && name !== 'issuance.json')
    .sort()
    .map((name) => ({
      id: name.slice(0, -'.json'.length),
      metadata: JSON.parse(readFileSync(path.join(types, name), 'utf8')) as unknown,
    }));
}
