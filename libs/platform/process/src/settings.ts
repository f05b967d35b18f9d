import { isIP } from 'node:net';
import { decodeBase64url, isLoopback, parseUrl, schemeOf, urlFault, type UrlRules } from '@vestibule/foundation';
import { z } from 'zod';
import { LOG_LEVELS } from './logger';

/*
 * The syntax of variables. Messages continue a sentence that begins with the variable's name, and never quote the
 * value.
 */
const KEY_BYTES = 32;

/** Text that `parse` converts into a value; undefined means that it does not meet `expectation`. */
function parsed<Value>(expectation: string, parse: (text: string) => Value | undefined): z.ZodType<Value, string> {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: expectation });
    return z.NEVER;
  });
}

/** Any non-empty text. */
export const textSetting = (): z.ZodType<string, string> => parsed('must not be empty', (text) => text || undefined);

/** An integer between two bounds, inclusive. */
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

/** A part of a whole: 0 to 1, with a point. */
export const ratioSetting = (): z.ZodType<number, string> =>
  parsed('must be a number between 0 and 1', (text) =>
    /^(?:0|1|0?\.\d{1,9}|1\.0{1,9}|0\.0{1,9})$/.test(text) ? Number(text) : undefined,
  );

/** `true` or `false`. */
export const booleanSetting = (): z.ZodType<boolean, string> =>
  parsed('must be true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** One value of a closed list. */
export function choiceSetting<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice, string> {
  return parsed(`must be one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text));
}

/** The minimum level of log lines. */
export const logLevelSetting = () => choiceSetting(LOG_LEVELS);

/** Items separated by commas, without empty ones. */
export const listSetting = (): z.ZodType<readonly string[], string> =>
  parsed('must be a comma-separated list', (text) => {
    const items = text.split(',').map((item) => item.trim());
    return items.every((item) => item !== '') ? items : undefined;
  });

/** Hosts, each with or without a port, and nothing else of a URL. */
export const hostListSetting = (): z.ZodType<readonly string[], string> =>
  listSetting().refine((hosts) => hosts.every(isHost), {
    message: 'must be a comma-separated list of hosts, each host or host:port',
  });

function isHost(text: string): boolean {
  return !/[/\\?#@\s]/.test(text) && URL.canParse(`https://${text}`);
}

/** A URL that meets the rules and the additional checks of `judge`; the fault says which rule is violated. */
function urlSetting(rules: UrlRules, judge: (url: URL) => string | undefined = () => undefined) {
  return z.string().superRefine((text, context) => {
    const message = urlFault(text, rules) ?? judge(new URL(text));
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

const WEB = ['https', 'http'];

/** True for an address that only this machine can reach. */
export function isLoopbackUrl(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && isLoopback(url);
}

function publicUrlFault(url: URL): string | undefined {
  if (url.protocol === 'http:' && !isLoopback(url)) return 'must use https (http only for loopback)';
  return url.pathname.includes('//') ? 'must not have an empty segment in its path' : undefined;
}

/** A public base URL: https, or http for loopback; without user, query, fragment and final slash. */
export const publicUrlSetting = (): z.ZodType<string, string> =>
  urlSetting({ schemes: WEB, query: 'refused', fragment: 'refused' }, publicUrlFault).transform((text) =>
    text.replace(/\/$/, ''),
  );

/** An http or https URL of an internal receiver; it may have a query, but no user and no fragment. */
export const receiverUrlSetting = (): z.ZodType<string, string> => urlSetting({ schemes: WEB, fragment: 'refused' });

/** An http or https origin and nothing after it, as the URL Standard serialises it; undefined for anything else. */
export function parseOrigin(text: string): string | undefined {
  const url = parseUrl(text, { schemes: WEB });
  return url?.href === `${url?.origin}/` ? url?.origin : undefined;
}

/** The allowed query parameters of a Postgres URL: the driver would also accept limits and certificates there. */
const POSTGRES_PARAMETERS = ['sslmode', 'host', 'port', 'application_name', 'options'];
/**
 * The other modes do not do what their names suggest: they encrypt without authenticating the server, or fall back to
 * no encryption.
 */
const SSL_MODES = ['verify-full', 'disable'];

function postgresFault({ searchParams }: URL): string | undefined {
  const names = [...searchParams.keys()];
  if (names.some((name) => !POSTGRES_PARAMETERS.includes(name)) || new Set(names).size < names.length)
    return `must have no other parameters than ${POSTGRES_PARAMETERS.join(', ')}, each once (a CA goes into DATABASE_CA_FILE)`;
  const mode = searchParams.get('sslmode');
  return mode === null || SSL_MODES.includes(mode) ? undefined : `must have an sslmode of ${SSL_MODES.join(' or ')}`;
}

/** A connection URL of Postgres. */
export const postgresUrlSetting = (): z.ZodType<string, string> =>
  urlSetting({ schemes: ['postgres', 'postgresql'], userInformation: 'accepted' }, postgresFault);

function natsUrlFault(item: string): string | undefined {
  const fault = urlFault(item, { schemes: ['nats', 'tls'], userInformation: 'accepted' });
  if (fault !== undefined) return fault;
  const { protocol, hostname } = new URL(item);
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0;
  return protocol === 'tls:' && isAddress
    ? 'must name tls:// servers by the host name in their certificate'
    : undefined;
}

/** One or several URLs of NATS servers, separated by commas: all with TLS or all without. */
export const natsUrlsSetting = (): z.ZodType<readonly string[], string> =>
  listSetting().superRefine((items, context) => {
    const message = items.map(natsUrlFault).find((fault) => fault !== undefined);
    if (message !== undefined) return context.addIssue({ code: 'custom', message });
    const protocols = new Set(items.map((item) => new URL(item).protocol));
    if (protocols.size > 1) context.addIssue({ code: 'custom', message: 'must be all tls:// or all nats://' });
  });

/** The seed of a user nkey of NATS. */
export const nkeySeedSetting = (): z.ZodType<string, string> =>
  z.string().regex(/^SU[A-Z2-7]{56}$/, 'must be the seed of a user nkey: SU and 56 characters of base32');

/** Schemes that cannot belong to an app: browsers display, run or open them themselves. */
const BROWSER_SCHEMES = [
  ...['http', 'https', 'ws', 'wss', 'ftp', 'file', 'javascript', 'vbscript', 'data', 'blob', 'filesystem', 'about'],
  'view-source',
];

const isAppScheme = (scheme: string) => /^[a-z][a-z0-9+.-]*$/.test(scheme) && !BROWSER_SCHEMES.includes(scheme);

/** Schemes of apps, separated by commas, in lower case (RFC 3986 §3.1). */
export const appSchemesSetting = (): z.ZodType<readonly string[], string> =>
  parsed('must be comma-separated app schemes (RFC 3986) without the colon', (text) => {
    const items = text.split(',').map((item) => item.trim().toLowerCase());
    return items.every(isAppScheme) ? items : undefined;
  });

/**
 * The address that invokes wallets: what `faultOf` accepts. An operator may also name a scheme that is not on its list,
 * unless browsers handle that scheme themselves.
 */
export const walletEndpointSetting = (
  faultOf: (text: string, more: readonly string[]) => string | undefined,
): z.ZodType<string, string> =>
  z.string().superRefine((text, context) => {
    const message = faultOf(text, [schemeOf(text)].filter(isAppScheme));
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** URIs with one of these choices each, as comma-separated `uri=choice`. */
export function mappingSetting<const Choice extends string>(
  choices: readonly Choice[],
): z.ZodType<ReadonlyMap<string, Choice>, string> {
  const isChoice = (text: string): text is Choice => (choices as readonly string[]).includes(text);
  return parsed(`must be comma-separated uri=choice, with one of ${choices.join(', ')} for each URI`, (text) => {
    const mapping = new Map<string, Choice>();
    for (const item of text.split(',').map((part) => part.trim())) {
      const [uri, choice] = [item.slice(0, item.lastIndexOf('=')), item.slice(item.lastIndexOf('=') + 1)];
      if (!isChoice(choice) || urlFault(uri) !== undefined || mapping.has(uri)) return undefined;
      mapping.set(uri, choice);
    }
    return mapping;
  });
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The URL of an HTTP proxy, with or without a user and password for Basic (RFC 7617 §2), and nothing else. */
function isProxyUrl(text: string): boolean {
  if (urlFault(text, { schemes: WEB, userInformation: 'accepted', query: 'refused', fragment: 'refused' }))
    return false;
  const { pathname, username, password } = new URL(text);
  return pathname === '/' && !/%3a/i.test(username) && isDecodable(`${username}:${password}`);
}

/** The name of the proxy of all that have none of their own. */
export const ANY_TARGET = '*';

/** One proxy for all, or comma-separated `name=url`; `nameOf` normalises a name, or knows nothing by it. */
function proxiesBy<Name extends string>(
  expectation: string,
  nameOf: (text: string) => Name | undefined,
): z.ZodType<ReadonlyMap<Name | typeof ANY_TARGET, string>, string> {
  return parsed(
    `must be the URL of a proxy (http://proxy.internal:3128), or comma-separated ${expectation}`,
    (text) => {
      if (isProxyUrl(text)) return new Map([[ANY_TARGET, text]]);
      const proxies = new Map<Name | typeof ANY_TARGET, string>();
      for (const item of text.split(',').map((part) => part.trim())) {
        const [name, url] = [nameOf(item.slice(0, item.indexOf('='))), item.slice(item.indexOf('=') + 1)];
        if (name === undefined || !isProxyUrl(url) || proxies.has(name)) return undefined;
        proxies.set(name, url);
      }
      return proxies;
    },
  );
}

/** Outbound proxies by purpose. */
export function purposeProxiesSetting<const Purpose extends string>(
  purposes: readonly Purpose[],
): z.ZodType<ReadonlyMap<Purpose, string>, string> {
  const expectation = `purpose=url with the purposes ${purposes.join(', ')}`;
  const byName = proxiesBy(expectation, (text) => purposes.find((purpose) => purpose === text));
  return byName.transform((proxies) => {
    const ofAll = proxies.get(ANY_TARGET);
    return new Map(
      purposes.flatMap((purpose) => {
        const url = proxies.get(purpose) ?? ofAll;
        return url === undefined ? [] : [[purpose, url] as const];
      }),
    );
  });
}

/** Outbound proxies by the origin that they lead to; {@link ANY_TARGET} for every origin. */
export const originProxiesSetting = (): z.ZodType<ReadonlyMap<string, string>, string> =>
  proxiesBy('origin=url with origins such as https://backend.example', parseOrigin);

/** One key of 32 bytes in base64url. */
export const keySetting = (): z.ZodType<Uint8Array, string> =>
  parsed('must be a base64url key of 32 bytes', (text) => {
    const key = decodeBase64url(text.trim());
    return key?.byteLength === KEY_BYTES ? key : undefined;
  });

/** Keys of 32 bytes in base64url, separated by commas, when no wrapped one is left: the first one seals, all of them open. */
export const sealingKeysSetting = (): z.ZodType<readonly Uint8Array[], string> =>
  parsed('must be comma-separated base64url keys of 32 bytes, each raw or as wrapped:<file>', (text) => {
    const keys = text.split(',').map((item) => decodeBase64url(item.trim()));
    const complete = keys.filter((key) => key?.byteLength === KEY_BYTES);
    return complete.length === keys.length ? (complete as Uint8Array[]) : undefined;
  });
