import { DomainError, type Clock } from '@vestibule/foundation';
import { createExpiryWarning, createTimer, type Logger, type Timer } from '@vestibule/process';
import { shortenedValidity } from '@vestibule/sd-jwt-vc';
import type { LoadedTypes } from '../files/type-metadata-folder';
import type { AccessKey } from './access-key';
import type { IssuerKeys } from './issuer-keys';

/** A chain whose certificate owns status lists with unexpired credentials. */
export interface OwnedLists {
  readonly x5c: readonly string[];
  /** When the last of the credentials expires. */
  readonly endsAt: Date;
  readonly lists: number;
  /** The names of the issuer identifiers that the lists are published below. */
  readonly issuers: readonly string[];
}

export interface WatchIssuerKeysOptions {
  readonly keys: IssuerKeys;
  /** Signs metadata; undefined if the key of the credentials does. */
  readonly access: Pick<AccessKey, 'isValidAt' | 'endsAt'> | undefined;
  readonly types: Pick<LoadedTypes, 'types' | 'issuers'>;
  /** Of {@link createShorteningReport}. */
  readonly reportShortened: (configurationId: string, endsAt: Date) => void;
  readonly findOwners: (now: Date) => Promise<readonly OwnedLists[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const DAY_MILLISECONDS = 86_400_000;
/** Often enough that no day is missed if one check comes early, or the database is unavailable during one. */
const LOOK_MILLISECONDS = 3_600_000;

/** Logs for each type, once a day, that its credentials expire with the issuer's chain. */
export function createShorteningReport(logger: Pick<Logger, 'warn'>, clock: Clock) {
  const quietUntil = new Map<string, number>();
  return (configurationId: string, endsAt: Date): void => {
    const now = clock().getTime();
    if (now < (quietUntil.get(configurationId) ?? -Infinity)) return;
    quietUntil.set(configurationId, now + DAY_MILLISECONDS);
    const fields = { configurationId, endsAt: endsAt.toISOString() };
    logger.warn('the certificates of the issuer expire before the validity of a credential type ends', fields);
  };
}

function signerOf(keys: IssuerKeys, { x5c, endsAt }: OwnedLists, now: Date): string | undefined {
  try {
    const at = endsAt < now ? now : endsAt;
    return keys.listSignerAt(x5c, at).x5c[0];
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/**
 * Logs until when each retired key is needed, which are no longer needed, and the lists without a key until their end.
 */
export function reportRetiredKeys(
  keys: IssuerKeys,
  owners: readonly OwnedLists[],
  { now, logger }: { readonly now: Date; readonly logger: Pick<Logger, 'info' | 'error'> },
): void {
  const needed = new Map<string | undefined, Date>();
  for (const owner of owners) {
    const signer = signerOf(keys, owner, now);
    const until = needed.get(signer);
    needed.set(signer, until && until > owner.endsAt ? until : owner.endsAt);
  }
  const missing = needed.get(undefined);
  if (missing)
    logger.error('status lists have no key until their last credential expires: restore the retired certificate', {
      neededUntil: missing.toISOString(),
    });
  for (const key of keys.retired) {
    const [leaf] = key.chain;
    const until = needed.get(leaf?.der.toString('base64'));
    const certificate = leaf?.fingerprint ?? '';
    if (until)
      logger.info('a retired issuer key signs status lists', { certificate, neededUntil: until.toISOString() });
    else if (keys.mayGo(key, now)) logger.info('a retired issuer key is no longer needed', { certificate });
  }
}

/** Logs the identifiers that are no longer configured, below which lists of unexpired credentials were published. */
function reportGoneIssuers({ types, logger }: WatchIssuerKeysOptions, owners: readonly OwnedLists[]): void {
  const known = types.issuers.map(({ identity }) => identity.name);
  const gone = new Set(owners.flatMap(({ issuers }) => issuers).filter((name) => !known.includes(name)));
  for (const issuer of gone)
    logger.error('status lists of an issuer that is not configured cannot be fetched: restore it', { issuer });
}

/** Reports the types whose validity would now be shortened by the chain. */
function reportShortenedTypes({ keys, types, reportShortened }: WatchIssuerKeysOptions, now: Date): void {
  const { chainEndsAt } = keys.current;
  for (const { configurationId, validitySeconds } of types.types.values()) {
    const end = shortenedValidity({ now, validitySeconds, chainEndsAt });
    if (end) reportShortened(configurationId, end);
  }
}

/**
 * Monitors the ends of the issuer certificate and of the access certificate, the validities that it shortens, and the need for retired keys: at
 * startup and then hourly, with one log line a day for each, until the timer is stopped. Retired keys may expire at any
 * time.
 */
export async function watchIssuerKeys(options: WatchIssuerKeysOptions): Promise<Timer> {
  const { keys, findOwners, clock, logger } = options;
  const warn = createExpiryWarning(logger, {
    endsSoon: 'the issuer certificate expires soon',
    ended: 'the issuer certificate is not valid: nothing can be issued',
  });
  const warnOfAccess = createExpiryWarning(logger, {
    endsSoon: 'the access certificate of the issuer expires soon',
    ended: 'the access certificate of the issuer is not valid: its metadata cannot be signed',
  });
  let quietUntil = -Infinity;
  const run = async (): Promise<void> => {
    const now = clock();
    const { current } = keys;
    warn(current.mayIssueAt(now) ? current.chainEndsAt : undefined, now);
    const { access } = options;
    if (access) warnOfAccess(access.isValidAt(now) ? access.endsAt() : undefined, now);
    reportShortenedTypes(options, now);
    if (now.getTime() < quietUntil) return;
    const owners = await findOwners(now);
    reportRetiredKeys(keys, owners, { now, logger });
    reportGoneIssuers(options, owners);
    quietUntil = now.getTime() + DAY_MILLISECONDS;
  };
  await run();
  return createTimer({ name: 'issuer keys', everyMilliseconds: LOOK_MILLISECONDS, logger, run });
}
