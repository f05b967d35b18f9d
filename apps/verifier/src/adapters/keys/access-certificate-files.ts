import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { readConfigurationFile, type Logger } from '@vestibule/process';
import {
  configurationFault,
  readCertifiedSigner,
  type CertifiedSigner,
  type OpenKey,
  type X509ConfigurationFaultCode,
} from '@vestibule/x509-trust';
import { accessCertificatesOf, type AccessCertificates } from './access-certificate';
import type { FileReader } from '@vestibule/keys';

export interface AccessCertificateFiles {
  readonly certificateFile: string;
  /** The private key of `certificateFile` as PEM, or the description of a key in a device. */
  readonly key: string;
  /** A folder with further certificates: `<name>.pem` with its key in `<name>-key.pem` or its description in `<name>-key.json`. */
  readonly folder?: string | undefined;
  readonly allowSelfSigned: boolean;
  /** For keys that are in a device. */
  readonly openKey: OpenKey;
}

export interface ReadingContext {
  readonly files: FileReader;
  readonly now: Date;
  /** Receives a warning about a certificate that has expired while another one is valid. */
  readonly logger: Pick<Logger, 'warn'>;
}

interface NamedPair extends CertifiedSigner {
  readonly file: string;
}

const CERTIFICATE = '.pem';
const KEY = '-key.pem';
const DESCRIPTION = '-key.json';

function listFolder(folder: string, files: FileReader): readonly string[] {
  try {
    return files.list(folder);
  } catch (error) {
    const reason = `${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}

function readText(file: string, code: X509ConfigurationFaultCode, files: FileReader): string {
  const fail = (reason: string, cause: unknown) => configurationFault(code, `${file} ${reason}`, cause);
  return readConfigurationFile(file, fail, (name) => files.read(name)).toString('utf8');
}

/** Adds the file name to a fault, because there may be several certificates. */
function inFile<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError) || error.detail.includes(file)) throw error;
    const { kind, code, detail } = error;
    throw new DomainError({ kind, code, detail: `${file}: ${detail}`, cause: error });
  }
}

interface Reading extends Pick<AccessCertificateFiles, 'allowSelfSigned' | 'openKey'> {
  readonly files: FileReader;
}

function readPair(file: string, key: () => string, { allowSelfSigned, openKey, files }: Reading): NamedPair {
  return inFile(file, () => {
    const certificatePem = readText(file, 'certificate_file_invalid', files);
    return { file, ...readCertifiedSigner({ certificatePem, key: key(), allowSelfSigned }, openKey) };
  });
}

/** One pair of files, the key as PEM or as a description. Throws a configuration fault that names the file. */
export function readAccessPair(certificateFile: string, keyFile: string, reading: Reading): CertifiedSigner {
  return readPair(certificateFile, () => readText(keyFile, 'signing_key_not_p256', reading.files), reading);
}

/** The name of a pair that a file belongs to, so that a missing half is reported and not ignored. */
function nameOf(entry: string): readonly string[] {
  const ending = [KEY, DESCRIPTION, CERTIFICATE].find((one) => entry.endsWith(one));
  return ending === undefined || entry.startsWith('.') ? [] : [entry.slice(0, -ending.length)];
}

function readFolder(folder: string, reading: Reading): readonly NamedPair[] {
  const entries = listFolder(folder, reading.files);
  return [...new Set(entries.flatMap(nameOf))].map((name) => {
    const ending = entries.includes(`${name}${DESCRIPTION}`) ? DESCRIPTION : KEY;
    const key = () => readText(path.join(folder, `${name}${ending}`), 'signing_key_not_p256', reading.files);
    return readPair(path.join(folder, `${name}${CERTIFICATE}`), key, reading);
  });
}

/**
 * Reads and checks all access certificates. Throws a configuration fault that says which file to change and how, also
 * if none is valid at `now`. An expired one beside a valid one is only logged.
 */
export function readAccessCertificates(
  { certificateFile, key, folder, ...how }: AccessCertificateFiles,
  { files, now, logger }: ReadingContext,
): AccessCertificates {
  const reading = { ...how, files };
  const pairs = [
    readPair(certificateFile, () => key, reading),
    ...(folder === undefined ? [] : readFolder(folder, reading)),
  ];
  const certificates = accessCertificatesOf(pairs);
  certificates.currentClientId(now);
  for (const { file, certificate } of pairs) {
    if (certificate.notAfter < now) {
      logger.warn('an access certificate has expired', { file, endedAt: certificate.notAfter.toISOString() });
    }
  }
  return certificates;
}
