import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { readConfigurationFile, type Logger } from '@vestibule/process';
import {
  configurationFault,
  readSigningCertificate,
  type SigningPair,
  type X509ConfigurationFaultCode,
} from '@vestibule/x509-trust';
import { accessCertificatesOf, type AccessCertificates } from './access-certificate';
import type { FileReader } from './tracked-files';

export interface AccessCertificateFiles {
  readonly certificateFile: string;
  /** The private key of `certificateFile`. */
  readonly keyPem: string;
  /** A folder with further certificates: `<name>.pem` with its key in `<name>-key.pem`. */
  readonly folder?: string | undefined;
  readonly allowSelfSigned: boolean;
}

export interface ReadingContext {
  readonly files: FileReader;
  readonly now: Date;
  /** Receives a warning about a certificate that has expired while another one is valid. */
  readonly logger: Pick<Logger, 'warn'>;
}

interface NamedPair extends SigningPair {
  readonly file: string;
}

const CERTIFICATE = '.pem';
const KEY = '-key.pem';

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

function readPair(file: string, keyPem: () => string, allowSelfSigned: boolean, files: FileReader): NamedPair {
  return inFile(file, () => {
    const certificatePem = readText(file, 'certificate_file_invalid', files);
    return { file, ...readSigningCertificate({ certificatePem, keyPem: keyPem(), allowSelfSigned }) };
  });
}

/** One pair of files. Throws a configuration fault that names the file. */
export function readAccessPair(
  certificateFile: string,
  keyFile: string,
  allowSelfSigned: boolean,
  files: FileReader,
): SigningPair {
  return readPair(certificateFile, () => readText(keyFile, 'signing_key_not_p256', files), allowSelfSigned, files);
}

/** The names of pairs, from certificates and from keys, so that a missing half is reported and not ignored. */
function namesIn(folder: string, files: FileReader): readonly string[] {
  const entries = listFolder(folder, files);
  const pems = entries.filter((entry) => entry.endsWith(CERTIFICATE) && !entry.startsWith('.'));
  const nameOf = (pem: string) => pem.slice(0, -(pem.endsWith(KEY) ? KEY : CERTIFICATE).length);
  return [...new Set(pems.map(nameOf))];
}

function readFolder(folder: string, allowSelfSigned: boolean, files: FileReader): readonly NamedPair[] {
  return namesIn(folder, files).map((name) => {
    const keyPem = () => readText(path.join(folder, `${name}${KEY}`), 'signing_key_not_p256', files);
    return readPair(path.join(folder, `${name}${CERTIFICATE}`), keyPem, allowSelfSigned, files);
  });
}

/**
 * Reads and checks all access certificates. Throws a configuration fault that says which file to change and how, also
 * if none is valid at `now`. An expired one beside a valid one is only logged.
 */
export function readAccessCertificates(
  { certificateFile, keyPem, folder, allowSelfSigned }: AccessCertificateFiles,
  { files, now, logger }: ReadingContext,
): AccessCertificates {
  const pairs = [
    readPair(certificateFile, () => keyPem, allowSelfSigned, files),
    ...(folder === undefined ? [] : readFolder(folder, allowSelfSigned, files)),
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
