import { isIP } from 'node:net';
import { isUriReference, ProcessingFailure, urlFault, type Fault } from '@vestibule/foundation';
import { egressFailure } from './failures';
import { isPublicAddress } from './public-address';

/** An address that may be requested, as far as its text shows. */
export interface EgressTarget {
  /** Normalised, without fragment. */
  readonly url: URL;
  /** True if its host is on the development allow-list: http and private addresses are accepted. */
  readonly isDevelopment: boolean;
}

export interface TargetContext {
  /** The address that redirected here; this one may then be relative. */
  readonly from?: EgressTarget;
  /** Accepts http for any public host. */
  readonly allowHttp?: boolean | undefined;
}

/** Parses and checks an address. */
export type ParseTarget = (text: string, context?: TargetContext) => EgressTarget;

/** Names that never lead to the public internet (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). */
const LOCAL_SUFFIXES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const HOST_WITH_PORT = /:\d{1,5}$/;
const MORE_THAN_A_HOST = /[/\\?#@\s]/;

function parseUrl(text: string, from: EgressTarget | undefined): URL {
  // The target of a redirect is as its host wrote it; every other address is a URL that all parsers interpret alike.
  const isWritten = from ? isUriReference(text) : urlFault(text) === undefined;
  if (!isWritten) throw egressFailure('egress_refused_url');
  try {
    const url = new URL(text, from?.url);
    url.hash = '';
    return url;
  } catch (error) {
    throw egressFailure('egress_refused_url', error);
  }
}

function isLocalName(name: string): boolean {
  const bare = name.replace(/\.+$/, '');
  return !bare.includes('.') || LOCAL_SUFFIXES.some((suffix) => bare === suffix || bare.endsWith(`.${suffix}`));
}

function requirePublicHost(hostname: string): void {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const isPublic = isIP(address) ? isPublicAddress(address) : !isLocalName(hostname);
  if (!isPublic) throw egressFailure('egress_refused_address');
}

/** An address in the configuration, and where it stands there. */
interface ConfiguredAddress {
  readonly path: string;
  readonly url: string;
}

const ADDRESS_FAULTS: Readonly<Record<string, string>> = {
  egress_refused_url:
    'must be an https URL without user information (http is only for hosts in EGRESS_DEVELOPMENT_HOSTS): it would never be loaded',
  egress_refused_address:
    'must be on a public host (others are only for development, in EGRESS_DEVELOPMENT_HOSTS): it would never be loaded',
};

/** `host:port` as the URL parser writes it, including the scheme's default port. */
function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}`;
}

function normaliseHost(host: string): readonly string[] {
  const schemes = HOST_WITH_PORT.test(host) ? ['http:'] : ['http:', 'https:'];
  const isHost = !MORE_THAN_A_HOST.test(host) && URL.canParse(`http://${host}`);
  if (!isHost) throw new RangeError('a development host is a host name or address, with or without a port');
  return schemes.map((scheme) => hostAndPort(new URL(`${scheme}//${host}`)));
}

/**
 * Decides which addresses may be requested (TSL §11.4, SD-JWT VC §7.1): https, no user information, no local name, no
 * address outside the public internet, however it is written. A host in `developmentHosts` (`localhost:3000`,
 * `issuer.test`; without a port, the default ports) may also use http and any address. Throws a RangeError for an entry
 * that is not a host. The returned function throws `egress_refused_url` or `egress_refused_address`.
 */
export function createTargetParser(developmentHosts: readonly string[]): ParseTarget {
  const allowed = new Set(developmentHosts.flatMap(normaliseHost));
  return (text, { from, allowHttp = false } = {}) => {
    const url = parseUrl(text, from);
    const isHttp = url.protocol === 'http:';
    if ((url.protocol !== 'https:' && !isHttp) || url.username || url.password) {
      throw egressFailure('egress_refused_url');
    }
    const isDevelopment = allowed.has(hostAndPort(url));
    if (isHttp && !isDevelopment && !allowHttp) throw egressFailure('egress_refused_url');
    if (!isDevelopment) requirePublicHost(url.hostname);
    return { url, isDevelopment };
  };
}

/** What is wrong with addresses in the configuration: {@link createTargetParser} would refuse them whenever they are requested. */
export function addressFaults(addresses: readonly ConfiguredAddress[], developmentHosts: readonly string[]): Fault[] {
  const parse = createTargetParser(developmentHosts);
  return addresses.flatMap(({ path, url }) => {
    try {
      parse(url);
      return [];
    } catch (error) {
      if (!(error instanceof ProcessingFailure)) throw error;
      return { path, message: ADDRESS_FAULTS[error.code] ?? error.detail };
    }
  });
}
