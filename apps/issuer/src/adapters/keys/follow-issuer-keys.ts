import type { Clock } from '@vestibule/foundation';
import { createReloading, createReloadStatus, type FileReader } from '@vestibule/keys';
import { createTimer, type Logger, type Metrics } from '@vestibule/process';
import type { OpenKey } from '@vestibule/x509-trust';
import { readRetiredIssuerKey, type IssuerKey } from './issuer-key';
import { issuerKeysOf, readRetiredIssuerKeys, type IssuerKeys } from './issuer-keys';

/** Where the certificates and keys of an issuer are. */
export interface IssuerKeyPlaces {
  readonly certificateFile: string;
  /** The private key of `certificateFile` as PEM, or the description of a key in a device. */
  readonly key: string;
  /** A folder with further pairs, the newest of which signs. */
  readonly certificatesFolder?: string | undefined;
  /** A folder with pairs that only sign the status lists of their credentials. */
  readonly retiredCertificatesFolder?: string | undefined;
}

export interface FollowIssuerKeysOptions {
  readonly places: IssuerKeyPlaces;
  readonly issuerUrl: string;
  readonly openKey: OpenKey;
  /** Throws if credentials with this chain would never fit into an answer. */
  readonly requireRoom: (key: IssuerKey) => void;
  readonly reloadSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'gauges'>;
}

/** The keys as their files are now. */
export interface FollowedIssuerKeys extends IssuerKeys {
  /** Looks for changes now. */
  refresh(): Promise<void>;
  /** Stops watching the files. */
  close(): Promise<void>;
}

/** What was read: the keys that may sign credentials, of which there is at least one, and those that no longer do. */
interface Loaded {
  /** The first is the one that configuration names. */
  readonly signing: readonly [IssuerKey, ...IssuerKey[]];
  readonly retired: readonly IssuerKey[];
}

const beginningOf = ({ chain }: IssuerKey): number => chain[0]?.notBefore.getTime() ?? 0;

/**
 * The key that signs credentials at a time: that of the certificate which begins last, among those that could still issue;
 * of two equal ones the first. If none could, the one that begins last, which then says why.
 */
export function currentOf({ signing }: Pick<Loaded, 'signing'>, now: Date): IssuerKey {
  const newest = [...signing].sort((a, b) => beginningOf(b) - beginningOf(a));
  return newest.find((key) => key.mayIssueAt(now) && key.isValidAt(now)) ?? newest[0] ?? signing[0];
}

function load(options: FollowIssuerKeysOptions, files: FileReader): Loaded {
  const { places, issuerUrl, openKey, requireRoom, clock } = options;
  const { certificateFile, key, certificatesFolder, retiredCertificatesFolder } = places;
  const how = { issuerUrl, openKey, files };
  const inFolder = (folder: string | undefined) => (folder === undefined ? [] : readRetiredIssuerKeys(folder, how));
  const loaded: Loaded = {
    signing: [readRetiredIssuerKey({ certificateFile, key, ...how }), ...inFolder(certificatesFolder)],
    retired: inFolder(retiredCertificatesFolder),
  };
  const now = clock();
  const current = currentOf(loaded, now);
  current.signerAt(now);
  loaded.signing.filter((one) => one === current || beginningOf(one) > now.getTime()).forEach(requireRoom);
  return loaded;
}

/** The key of the configuration always has its files, and one in the folder while it can still issue. */
function mayGo({ signing: [configured], retired }: Loaded, key: IssuerKey, now: Date): boolean {
  if (retired.includes(key)) return true;
  return key !== configured && beginningOf(key) <= now.getTime() && !key.mayIssueAt(now);
}

/**
 * The current key and those that begin later must sign a probe. Another one has only status lists left, and its device may
 * be gone: that is logged. Throws `signer_unavailable` and `signature_invalid`.
 */
async function checkIssuerKeys(
  loaded: Pick<Loaded, 'signing'>,
  now: Date,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const current = currentOf(loaded, now);
  const probe = async (key: IssuerKey): Promise<void> => {
    try {
      await key.check();
    } catch (error) {
      if (key === current || beginningOf(key) > now.getTime()) throw error;
      const certificate = key.chain[0]?.fingerprint ?? '';
      logger.warn('an earlier issuer key does not sign: its status lists are not renewed', { certificate, error });
    }
  };
  await Promise.all(loaded.signing.map(probe));
}

/**
 * Reads the keys, has them checked ({@link checkIssuerKeys}), and follows changes of the files until it is closed: a
 * version that cannot be used is logged and shown in metrics, and the previous one stays in effect. A retired key is not
 * checked: while its device is away, its status lists are served as they are. Throws configuration faults,
 * `signer_unavailable` and `signature_invalid`.
 */
export async function followIssuerKeys(options: FollowIssuerKeysOptions): Promise<FollowedIssuerKeys> {
  const { reloadSeconds, clock, logger, metrics } = options;
  const check = (loaded: Loaded) => checkIssuerKeys(loaded, clock(), logger);
  const reloading = createReloading({
    what: 'issuer certificates',
    load: (files) => load(options, files),
    check,
    logger,
    status: createReloadStatus(metrics),
  });
  await check(reloading.current());
  const timer = createTimer({
    name: 'reload',
    everyMilliseconds: reloadSeconds * 1000,
    logger,
    run: () => reloading.refresh(),
  });
  let made: { readonly loaded: Loaded; readonly keys: IssuerKeys } | undefined;
  /** The same keys as long as neither the files nor the choice among them have changed. */
  const now = (): IssuerKeys => {
    const loaded = reloading.current();
    const current = currentOf(loaded, clock());
    if (made?.loaded !== loaded || made.keys.current !== current) {
      const others = loaded.signing.filter((key) => key !== current);
      made = { loaded, keys: issuerKeysOf(current, [...others, ...loaded.retired]) };
    }
    return made.keys;
  };
  return {
    get current() {
      return now().current;
    },
    get retired() {
      return now().retired;
    },
    mayGo: (key, at) => mayGo(reloading.current(), key, at),
    listSignerAt: (x5c, at) => now().listSignerAt(x5c, at),
    refresh: () => reloading.refresh(),
    close: () => timer.stop(),
  };
}
