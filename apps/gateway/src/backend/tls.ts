import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { DomainError } from '@vestibule/foundation';
import { readConfigurationFile, type Configuration } from '@vestibule/process';
import type { gatewayConfiguration } from '../config';

/** The settings of a listener with mutual TLS, all as PEM. */
export interface MutualTls extends SecureContextOptions {
  readonly cert: string;
  readonly key: string;
  /** The authority of the backends' certificates, and no other: system authorities are not trusted. */
  readonly ca: string;
}

function fault(detail: string, cause?: unknown): DomainError {
  return new DomainError({ kind: 'invalid', code: 'management_tls_unusable', detail, cause });
}

function read(name: string, file: string): string {
  const fail = (reason: string, cause: unknown) => fault(`${name}: ${file} ${reason}`, cause);
  return readConfigurationFile(file, fail).toString('utf8');
}

/**
 * Certificate, key and client authority of the management listener; undefined if none of them is configured. Throws
 * `management_tls_unusable` if only some are, or if they do not form a valid TLS context.
 */
export function managementTls(configuration: Configuration<typeof gatewayConfiguration>): MutualTls | undefined {
  const { managementCertificateFile, managementKey, managementClientCaFile, managementClientNames } = configuration;
  const given = [managementCertificateFile, managementKey, managementClientCaFile];
  if (given.every((one) => one === undefined)) {
    // An operator who lists client names expects that all others are refused.
    if (managementClientNames !== undefined) throw fault('MANAGEMENT_CLIENT_NAMES has no effect without mutual TLS');
    return undefined;
  }
  if (managementCertificateFile === undefined || managementKey === undefined || managementClientCaFile === undefined) {
    throw fault('set MANAGEMENT_TLS_CERTIFICATE_FILE, MANAGEMENT_TLS_KEY and MANAGEMENT_CLIENT_CA_FILE together');
  }
  const tls = {
    cert: read('MANAGEMENT_TLS_CERTIFICATE_FILE', managementCertificateFile),
    key: managementKey,
    ca: read('MANAGEMENT_CLIENT_CA_FILE', managementClientCaFile),
  };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw fault('the certificate, key and client authority of the management listener do not match', error);
  }
  return tls;
}
