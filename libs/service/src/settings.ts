import { decodeBase64url } from '@vestibule/foundation';
import { z } from 'zod';
import { LOG_LEVELS } from './logger';

/*
 * What the text of a variable may be. Messages complete the sentence that the variable's name begins,
 * and never quote the value.
 */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const SEALING_KEY_BYTES = 32;

/** Text that `parse` turns into a value; undefined means: not acceptable, as `expectation` says. */
function parsed<Value>(expectation: string, parse: (text: string) => Value | undefined): z.ZodType<Value, string> {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: expectation });
    return z.NEVER;
  });
}

/** Any text that is not empty. */
export const textSetting = (): z.ZodType<string, string> => parsed('must not be empty', (text) => text || undefined);

/** An integer between two bounds, both included. */
export function integerSetting(minimum: number, maximum: number): z.ZodType<number, string> {
  return parsed(`must be an integer from ${minimum} to ${maximum}`, (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

/** A TCP port; 0 lets the system choose. */
export const portSetting = (): z.ZodType<number, string> => integerSetting(0, 65_535);

/** A duration in whole seconds. */
export const secondsSetting = (minimum: number, maximum: number): z.ZodType<number, string> =>
  integerSetting(minimum, maximum);

/** `true` or `false`. */
export const booleanSetting = (): z.ZodType<boolean, string> =>
  parsed('must be true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** One of a closed list. */
export function choiceSetting<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice, string> {
  return parsed(`must be one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text));
}

/** How much the log says. */
export const logLevelSetting = () => choiceSetting(LOG_LEVELS);

/** Items separated by commas, without empty ones. */
export const listSetting = (): z.ZodType<readonly string[], string> =>
  parsed('must be a list separated by commas', (text) => {
    const items = text.split(',').map((item) => item.trim());
    return items.every((item) => item !== '') ? items : undefined;
  });

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The text without a slash at its end, when `accept` agrees and nothing like user, query or fragment is in it. */
function plainUrl(text: string, accept: (url: URL) => boolean): string | undefined {
  const url = parseUrl(text);
  if (!url || url.username || url.password || /[?#\s]/.test(text) || !accept(url)) return undefined;
  return text.replace(/\/+$/, '');
}

/** True for an address that only this machine reaches. */
export function isLoopbackUrl(text: string): boolean {
  return LOOPBACK.test(parseUrl(text)?.hostname ?? '');
}

/** A base URL that strangers see: https, or http for loopback; without user, query, fragment and final slash. */
export const publicUrlSetting = (): z.ZodType<string, string> =>
  parsed('must be an https URL (http only for loopback) without user, query and fragment', (text) =>
    plainUrl(
      text,
      ({ protocol, hostname }) => protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)),
    ),
  );

/** An http or https URL of an internal receiver; it may have a query, but no user and no fragment. */
export const receiverUrlSetting = (): z.ZodType<string, string> =>
  parsed('must be an http or https URL without user and fragment', (text) => {
    const url = parseUrl(text);
    const acceptable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[#\s]/.test(text);
    return acceptable ? text : undefined;
  });

/** A connection URL of Postgres. */
export const postgresUrlSetting = (): z.ZodType<string, string> =>
  parsed('must be a URL that begins with postgres:// or postgresql://', (text) =>
    /^postgres(ql)?:$/.test(parseUrl(text)?.protocol ?? '') ? text : undefined,
  );

/** One or several URLs of NATS servers, separated by commas. */
export const natsUrlsSetting = (): z.ZodType<readonly string[], string> =>
  parsed('must be one or several nats:// or tls:// URLs separated by commas', (text) => {
    const items = text.split(',').map((item) => item.trim());
    return items.every((item) => /^(nats|tls):$/.test(parseUrl(item)?.protocol ?? '')) ? items : undefined;
  });

/** Keys of 32 bytes in base64url, separated by commas: the first one seals, every one opens. */
export const sealingKeysSetting = (): z.ZodType<readonly Uint8Array[], string> =>
  parsed('must be base64url keys of 32 bytes separated by commas', (text) => {
    const keys = text.split(',').map((item) => decodeBase64url(item.trim()));
    const complete = keys.filter((key) => key?.byteLength === SEALING_KEY_BYTES);
    return complete.length === keys.length ? (complete as Uint8Array[]) : undefined;
  });
