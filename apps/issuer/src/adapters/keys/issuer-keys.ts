import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { trackFiles, type FileReader } from '@vestibule/keys';
import { readConfigurationFile } from '@vestibule/process';
import { configurationFault, haveSameAuthority, parseX5c, type Certificate, type OpenKey } from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../domain/ports';
import { readRetiredIssuerKey, type IssuerKey } from './issuer-key';

/** The key that signs credentials, and earlier ones that still sign the status lists of theirs. */
export interface IssuerKeys {
  readonly current: IssuerKey;
  readonly retired: readonly IssuerKey[];
  /** Whether the files of a key that signs nothing any more may be removed: not of one that is still to begin. */
  mayGo(key: IssuerKey, now: Date): boolean;
  /**
   * The signer of a list whose credentials were signed with this chain: the same certificate, else the same key, else
   * the same certification authority, among those valid at `now`; the current one if the chain is unknown. Throws
   * `status_list_key_missing` if there is none.
   */
  listSignerAt(x5c: readonly string[] | undefined, now: Date): CredentialSigner;
}

const CERTIFICATE = '.pem';
const KEY = '-key.pem';
const DESCRIPTION = '-key.json';

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
    mayGo: (key) => retired.includes(key),
    listSignerAt(x5c, now) {
      const candidates = x5c ? candidatesOf(x5c) : [current];
      const key = candidates.find((candidate) => candidate.isValidAt(now));
      if (!key) throw keyMissing();
      return key.signerAt(now);
    },
  };
}

/** The chain of the key that signs credentials, whether or not it is valid now. */
export const leadingChain = ({ current }: Pick<IssuerKeys, 'current'>): readonly string[] =>
  current.chain.map(({ der }) => der.toString('base64'));

function readText(file: string, files: FileReader): string {
  const fail = (reason: string, cause: unknown) =>
    configurationFault('signing_key_not_p256', `${file} ${reason}`, cause);
  return readConfigurationFile(file, fail, (name) => files.read(name)).toString('utf8');
}

function listFolder(folder: string, files: FileReader): readonly string[] {
  try {
    return files.list(folder);
  } catch (error) {
    const reason = `${folder} cannot be read, ${(error as NodeJS.ErrnoException).code}`;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}

/** How keys are read. */
export interface RetiredKeys {
  readonly issuerUrl: string;
  readonly openKey: OpenKey;
  /** By default the files are only read, and their changes not noticed. */
  readonly files?: FileReader;
}

const readPair = (certificateFile: string, keyFile: string, how: Required<RetiredKeys>): IssuerKey =>
  readRetiredIssuerKey({ certificateFile, key: readText(keyFile, how.files), ...how });

/** The name of a pair that a file belongs to. */
function nameOf(entry: string): readonly string[] {
  const ending = [KEY, DESCRIPTION, CERTIFICATE].find((one) => entry.endsWith(one));
  return ending === undefined || entry.startsWith('.') ? [] : [entry.slice(0, -ending.length)];
}

/**
 * Reads the pairs of a folder: `<name>.pem` with its key in `<name>-key.pem`, or its description in
 * `<name>-key.json`, valid or expired. Throws a configuration fault that names the file, also for an incomplete pair.
 */
export function readRetiredIssuerKeys(folder: string, given: RetiredKeys): readonly IssuerKey[] {
  const how = { files: trackFiles(), ...given };
  const entries = listFolder(folder, how.files);
  return [...new Set(entries.flatMap(nameOf))].map((name) => {
    const ending = entries.includes(`${name}${DESCRIPTION}`) ? DESCRIPTION : KEY;
    return readPair(path.join(folder, `${name}${CERTIFICATE}`), path.join(folder, `${name}${ending}`), how);
  });
}
