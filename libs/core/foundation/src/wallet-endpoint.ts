import { isLoopback, urlFault } from './absolute-url';

/** Which addresses may invoke a wallet. */
export interface WalletEndpointRules {
  /** Custom schemes that wallets register, in lower case and without the colon. */
  readonly schemes: readonly string[];
  /** The parameters that are added to the query; the address must not have one of them. */
  readonly parameters: readonly string[];
}

/**
 * The fault in an address that invokes a wallet, as a sentence that continues the name of its field; undefined if there
 * is none. It is a custom scheme from the list, followed by `://`, or an https URL that the operating system hands to
 * a wallet (universal link, app link; http for loopback alone). It has no fragment, no user information and none of
 * the parameters that are added.
 */
export function walletEndpointFault(text: string, { schemes, parameters }: WalletEndpointRules): string | undefined {
  const fault = urlFault(text, { schemes: ['https', 'http', ...schemes], fragment: 'refused' });
  if (fault !== undefined) return fault;
  const url = new URL(text);
  if (url.protocol === 'http:' && !isLoopback(url)) return 'must use https or the scheme of a wallet';
  if (!text.slice(url.protocol.length).startsWith('//')) return 'must have // after its scheme';
  const added = parameters.find((name) => url.searchParams.has(name));
  return added === undefined ? undefined : `must not have the parameter ${added}, which is added`;
}

/** The scheme of an address, in lower case and without the colon; empty if it has none. */
export function schemeOf(address: string): string {
  return /^([^:/?#]+):/.exec(address)?.[1]?.toLowerCase() ?? '';
}

/** The address with parameters added to its query; all else keeps its spelling. */
export function withQueryParameters(endpoint: string, parameters: readonly (readonly [string, string])[]): string {
  const added = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const at = endpoint.indexOf('?');
  const separator = at === -1 ? '?' : at === endpoint.length - 1 ? '' : '&';
  return `${endpoint}${separator}${added}`;
}
