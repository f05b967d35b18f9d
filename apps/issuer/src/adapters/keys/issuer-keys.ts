import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';
import { configurationFault, haveSameAuthority, parseX5c, type Certificate } from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../domain/ports';
import { readRetiredIssuerKey, type IssuerKey } from './issuer-key';

/** The key that signs credentials, and earlier ones that still sign the status lists of theirs. */
export interface IssuerKeys {
  readonly current: IssuerKey;
  readonly retired: readonly IssuerKey[];
  /**
   * The signer of a list whose credentials were signed with this chain: the same certificate, else the same key, else
   * the same certification authority, among those valid at `now`; the current one if the chain is unknown. Throws
   * `status_list_key_missing` if there is none.
   */
  listSignerAt(x5c: readonly string[] | undefined, now: Date): CredentialSigner;
}

const CERTIFICATE = '.pem';
const KEY = '-key.pem';

type Match = (one: readonly Certificate[], other: readonly Certificate[]) => boolean;

const leafOf = ([leaf]: readonly Certificate[]): Certificate => {
  if (!leaf) throw new RangeError('a chain has a leaf');
  return leaf;
};

/** Best match first. */
const MATCHES: readonly Match[] = [
  (one, other) => leafOf(one).fingerprint === leafOf(other).fingerprint,
  (one, other) => leafOf(one).publicKey.equals(leafOf(other).publicKey),
  (one, other) => {
    const [left, right] = [one, other].map((chain) => ({ leaf: leafOf(chain), chain, anchor: undefined }));
    return left !== undefined && right !== undefined && haveSameAuthority(left, right);
  },
];

function keyMissing(): DomainError {
  const detail = 'no configured key may sign a status list: restore the retired certificate and key of its credentials';
  return new DomainError({ kind: 'internal', code: 'status_list_key_missing', detail });
}

/** The keys of an issuer, one of which signs credentials. */
export function issuerKeysOf(current: IssuerKey, retired: readonly IssuerKey[]): IssuerKeys {
  const all = [current, ...retired];
  const known = new Map<string, readonly IssuerKey[]>();

  function candidatesOf(x5c: readonly string[]): readonly IssuerKey[] {
    const name = x5c.join();
    const found = known.get(name);
    if (found) return found;
    const owner = parseX5c(x5c);
    const candidates = [...new Set(MATCHES.flatMap((match) => all.filter(({ chain }) => match(chain, owner))))];
    known.set(name, candidates);
    return candidates;
  }

  return {
    current,
    retired,
    listSignerAt(x5c, now) {
      const candidates = x5c ? candidatesOf(x5c) : [current];
      const key = candidates.find((candidate) => candidate.isValidAt(now));
      if (!key) throw keyMissing();
      return key.signerAt(now);
    },
  };
}

function readText(file: string, code: 'certificate_file_invalid' | 'signing_key_not_p256'): string {
  const fail = (reason: string, cause: unknown) => configurationFault(code, `${file} ${reason}`, cause);
  return readConfigurationFile(file, fail).toString('utf8');
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const reason = `${folder} cannot be read, ${(error as NodeJS.ErrnoException).code}`;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}

function readPair(folder: string, name: string, issuerUrl: string): IssuerKey {
  const certificateFile = path.join(folder, `${name}${CERTIFICATE}`);
  const keyPem = readText(path.join(folder, `${name}${KEY}`), 'signing_key_not_p256');
  try {
    return readRetiredIssuerKey({ certificateFile, keyPem, issuerUrl });
  } catch (error) {
    if (!(error instanceof DomainError) || error.detail.includes(certificateFile)) throw error;
    const { kind, code, detail } = error;
    throw new DomainError({ kind, code, detail: `${certificateFile}: ${detail}`, cause: error });
  }
}

/**
 * Reads the retired pairs of a folder: `<name>.pem` with its key in `<name>-key.pem`, valid or expired. Throws a
 * configuration fault that names the file, also for an incomplete pair.
 */
export function readRetiredIssuerKeys(folder: string, issuerUrl: string): readonly IssuerKey[] {
  const pems = listFolder(folder).filter((entry) => entry.endsWith(CERTIFICATE) && !entry.startsWith('.'));
  const names = pems.map((pem) => pem.slice(0, -(pem.endsWith(KEY) ? KEY : CERTIFICATE).length));
  return [...new Set(names)].map((name) => readPair(folder, name, issuerUrl));
}
