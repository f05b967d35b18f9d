import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { TlsRefusedError } from './limited-client';

/** The connection variable and what it contains, without the password. */
export interface Place {
  readonly variable: 'DATABASE_URL' | 'MIGRATION_DATABASE_URL';
  readonly url: string;
}

interface Explanation {
  readonly what: string;
  readonly remedy: string;
  /** A failure that may be temporary while a system starts: worth a retry. */
  readonly mayPass?: true;
}

const CA_REMEDY = 'put the authority that signed its certificate into DATABASE_CA_FILE';
const UNKNOWN_CA: Explanation = { what: 'its certificate is from an unknown authority', remedy: CA_REMEDY };
const NAME_REMEDY = 'correct the host in the URL, or the DNS';

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  '28P01': {
    what: 'the password is wrong, or there is no such role',
    remedy: 'correct the URL, or ALTER ROLE … PASSWORD',
  },
  '28000': {
    what: 'the role may not log in from here',
    remedy:
      'give it LOGIN and an entry in pg_hba.conf; if that entry requires TLS, add ?sslmode=verify-full to the URL',
  },
  '3D000': { what: 'there is no such database', remedy: 'create it, or correct the URL', mayPass: true },
  '42501': {
    what: 'the role lacks a privilege',
    remedy: 'grant it CONNECT on the database; migrations need the owner of the schema, in MIGRATION_DATABASE_URL',
  },
  '53300': {
    what: 'it has no free connections',
    remedy: 'raise max_connections, or lower DATABASE_POOL_SIZE',
    mayPass: true,
  },
  ENOTFOUND: { what: 'its host name is unknown', remedy: NAME_REMEDY, mayPass: true },
  EAI_AGAIN: { what: 'its host name could not be looked up', remedy: NAME_REMEDY, mayPass: true },
  ECONNREFUSED: { what: 'nothing listens there', remedy: 'start Postgres, or correct host and port', mayPass: true },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'its certificate is for another name',
    remedy: 'use the name in the certificate as host of the URL, or issue a certificate for the host',
  },
  CERT_HAS_EXPIRED: { what: 'its certificate has expired', remedy: 'renew the certificate of Postgres' },
  CERT_NOT_YET_VALID: { what: 'its certificate is not valid yet', remedy: 'compare the clocks' },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
};

const NO_TLS: Explanation = {
  what: 'it does not speak TLS, which sslmode=verify-full requires',
  remedy: 'switch it on in Postgres (ssl = on); if it is on, something in between removes it',
};
const OTHER_TLS: Explanation = { what: 'the TLS handshake failed', remedy: 'check the certificate of Postgres' };
const SILENT: Explanation = {
  what: 'it does not answer',
  remedy: 'check host and port, and whether a firewall lets this process through',
  mayPass: true,
};
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|HOSTNAME_)/;

/** Is this the code of an error in a TLS handshake? */
export const isTlsCode = (code: string): boolean => TLS_CODE.test(code) || EXPLANATIONS[code] === UNKNOWN_CA;

function explain(error: unknown): { readonly explanation: Explanation; readonly code: string | undefined } {
  if (error instanceof TlsRefusedError) return { explanation: NO_TLS, code: undefined };
  const code = (error as { readonly code?: unknown }).code;
  if (typeof code !== 'string') return { explanation: SILENT, code: undefined };
  const other = isTlsCode(code) ? OTHER_TLS : SILENT;
  return { explanation: Object.hasOwn(EXPLANATIONS, code) ? (EXPLANATIONS[code] as Explanation) : other, code };
}

function describe({ variable, url }: Place): string {
  const { username, host, pathname, searchParams } = new URL(url);
  const [role, database] = [username, pathname.slice(1)].map((text) => decodeURIComponent(text));
  return `${variable} (role ${role || 'of the system user'} at ${host || (searchParams.get('host') ?? 'localhost')}, database ${database || role})`;
}

/** Is a retry pointless? */
export const isFinal = (error: unknown): boolean => explain(error).explanation.mayPass === undefined;

/**
 * Explains to the operator why no connection could be opened: the variable, the role, the fault and the remedy, and
 * never the password. `database_refused` if a retry cannot help, else `database_unavailable`.
 */
export function startFailure(error: unknown, place: Place): DomainError {
  const { explanation, code } = explain(error);
  const { what, remedy, mayPass } = explanation;
  const sentence = `${describe(place)}: ${what}${code === undefined ? '' : ` (${code})`}; ${remedy}`;
  if (mayPass) return new ProcessingFailure('database_unavailable', sentence, error);
  return new DomainError({ kind: 'internal', code: 'database_refused', detail: sentence, cause: error });
}
