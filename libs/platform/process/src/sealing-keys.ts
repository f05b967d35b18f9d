import { DomainError, type ErrorEntry } from '@vestibule/foundation';
import { findText, isPlace, trustsAnyHost, type Environment } from './load-configuration';
import { namesWrappedKeys, sealingEntries, sealingVariables, WRAPPED } from './sealing-variables';

/** What unwraps the sealing keys that are in the configuration only in a form that a device opens. */
export interface SealingKeyDevices {
  /** The 32 bytes of the key that this file describes. Throws one of `errors`, and gives up when `signal` is aborted. */
  unwrap(file: string, signal: AbortSignal): Promise<Uint8Array>;
  readonly errors: Readonly<Record<string, Pick<ErrorEntry, 'remedy'>>>;
}

/** All keys together: a start that waits longer than this ends. */
const BUDGET_MILLISECONDS = 10_000;

/** Says which key it is. Its file is named only if there is such a folder: otherwise it may be the key itself. */
function placed(error: unknown, position: number, file: string): unknown {
  if (!(error instanceof DomainError)) return error;
  const { kind, code, detail } = error;
  const shown = isPlace(file) ? ` (${file})` : '';
  return new DomainError({ kind, code, detail: `SEALING_KEYS, key ${position}${shown}: ${detail}`, cause: error });
}

/**
 * The environment with raw keys in place of the wrapped ones in `SEALING_KEYS`, for this process only. One key after
 * another, and none after a failure, because a device locks itself when several come with a wrong PIN. A variable that is
 * missing or unreadable stays as it is, and nothing is asked of a device that could be anybody: the configuration says so.
 */
export async function withSealingKeys(
  environment: Environment,
  devices: SealingKeyDevices,
  signal: AbortSignal = AbortSignal.timeout(BUDGET_MILLISECONDS),
): Promise<Environment> {
  const text = findText(sealingVariables.sealingKeys, environment);
  if (trustsAnyHost(environment) || !namesWrappedKeys(text)) return environment;
  const raw: string[] = [];
  for (const [index, entry] of sealingEntries(text).entries()) {
    const file = entry.slice(WRAPPED.length);
    if (!entry.startsWith(WRAPPED)) raw.push(entry);
    else
      try {
        raw.push(Buffer.from(await devices.unwrap(file, signal)).toString('base64url'));
      } catch (error) {
        throw placed(error, index + 1, file);
      }
  }
  const { SEALING_KEYS_FILE: _replaced, ...rest } = environment;
  return { ...rest, SEALING_KEYS: raw.join(',') };
}
