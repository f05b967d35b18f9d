import type { X509Certificate } from 'node:crypto';
import { decodeBase64url, DomainError, parseJson } from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';
import { z } from 'zod';
import { SCOPES, type Scope } from '../http/scopes';

const DIGEST_BYTES = 32;

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@:-]{0,63}$/);
const scopes = z.array(z.enum(SCOPES)).min(1);
const digest = z.string().refine((text) => decodeBase64url(text)?.byteLength === DIGEST_BYTES);

const callersFile = z.strictObject({
  keys: z.array(z.strictObject({ name, digest, scopes })).default([]),
  clients: z.array(z.strictObject({ name, scopes })).default([]),
});

/** A bearer key, by its SHA-256 digest. */
export interface ManagementKey {
  /** Undefined for a key of `MANAGEMENT_KEY_DIGESTS`. */
  readonly name?: string;
  readonly digest: Uint8Array;
  readonly scopes: readonly Scope[];
}

/** Who may use the management listener, by name, and for what. */
export interface ManagementCallers {
  readonly keys: readonly ManagementKey[];
  /** The scopes of a client certificate; undefined if the file lists no clients: all of them. */
  readonly scopesOfClient: ((certificate: X509Certificate) => readonly Scope[]) | undefined;
}

/** The file cannot be used; no digest in the sentence. */
export function callersFault(reason: string, cause?: unknown): DomainError {
  return new DomainError({ kind: 'internal', code: 'management_callers_invalid', detail: reason, cause });
}

const HOST_RULES = { wildcards: false, partialWildcards: false, subject: 'default' } as const;

/**
 * Reads `MANAGEMENT_CALLERS_FILE`: named keys and clients with their scopes, at least one of them. Throws
 * `management_callers_invalid` with the place of each fault, and no digest.
 */
export function readManagementCallers(file: string): ManagementCallers {
  const fail = (reason: string, cause: unknown) => callersFault(`${file} ${reason}`, cause);
  const parsed = callersFile.safeParse(parseJson(readConfigurationFile(file, fail).toString('utf8')));
  if (!parsed.success) {
    const places = parsed.error.issues.map(({ path }) => path.join('.') || 'the document');
    throw callersFault(`${file} is invalid at ${[...new Set(places)].join(', ')}`);
  }
  const { keys, clients } = parsed.data;
  const names = [...keys, ...clients].map((one) => one.name);
  // An operator who removes the last entry expects that nobody may call, and not that everybody may.
  if (names.length === 0) throw callersFault(`${file} names nobody: add a key or a client, or do not name the file`);
  if (new Set(names).size < names.length) throw callersFault(`${file} has a name twice`);
  return {
    keys: keys.map((key) => ({ ...key, digest: decodeBase64url(key.digest) ?? new Uint8Array() })),
    scopesOfClient:
      clients.length === 0
        ? undefined
        : (certificate) =>
            clients.find((client) => certificate.checkHost(client.name, HOST_RULES) !== undefined)?.scopes ?? [],
  };
}
