import { DomainError, isLoopback, urlFault, type UrlRules } from '@vestibule/foundation';

/** The documents that are found from an identifier by RFC 8615. */
export type WellKnownName = 'openid-credential-issuer' | 'oauth-authorization-server' | 'jwt-vc-issuer';

const MAX_LENGTH = 512;
const IDENTIFIER: UrlRules = {
  schemes: ['https', 'http'],
  query: 'refused',
  fragment: 'refused',
  maxLength: MAX_LENGTH,
};

function invalid(detail: string): DomainError {
  return new DomainError({ kind: 'invalid', code: 'issuer_url_invalid', detail: `issuer_url ${detail}` });
}

function requireScheme(url: URL, allowHttpLoopback: boolean): void {
  if (url.protocol === 'https:') return;
  if (url.protocol !== 'http:') throw invalid('must use https');
  if (!isLoopback(url)) throw invalid('may use http on a loopback host only');
  if (!allowHttpLoopback) throw invalid('must use https');
}

/**
 * Checks a Credential Issuer Identifier, which is also the `issuer` of the authorization server, and returns it unchanged:
 * https, no query, no fragment, no user information, in normal form and without a trailing slash, so that every document
 * can repeat it byte for byte (OpenID4VCI 1.0 §12.2.1, RFC 8414 §3.1).
 * Throws `issuer_url_invalid`.
 */
export function parseIssuerUrl(text: string, options: { readonly allowHttpLoopback: boolean }): string {
  const fault = urlFault(text, IDENTIFIER);
  if (fault !== undefined) throw invalid(fault);
  const url = new URL(text);
  requireScheme(url, options.allowHttpLoopback);
  if (text.endsWith('/')) throw invalid('must not end with a slash');
  if (url.pathname.includes('//')) throw invalid('must not have an empty segment in its path');
  return text;
}

/** A segment of a path that needs no encoding; `oidc4vci` begins the paths of every identifier. */
const NAME_BELOW = /^(?!oidc4vci$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether an issuer identifier below another may have this name, which is the last segment of its path. */
export const isIssuerName = (name: string): boolean => NAME_BELOW.test(name);

/** The identifier of this name below another. */
export const issuerUrlBelow = (issuerUrl: string, name: string): string => `${issuerUrl}/${name}`;

/** The path at the host's root of a well-known document: inserted between host and path (RFC 8414 §3.1). */
export function wellKnownPath(issuerUrl: string, name: WellKnownName): string {
  const { pathname } = new URL(issuerUrl);
  return `/.well-known/${name}${pathname === '/' ? '' : pathname}`;
}

/** Where the endpoints and documents of an issuer are; all built from configuration. */
export interface IssuerEndpoints {
  readonly token: string;
  readonly nonce: string;
  readonly credential: string;
  /** For wallet attestations. */
  readonly challenge: string;
  readonly deferredCredential: string;
  readonly notification: string;
}

/** The endpoints that wallets call. */
export function issuerEndpoints(issuerUrl: string): IssuerEndpoints {
  const base = `${issuerUrl}/oidc4vci`;
  return {
    token: `${base}/token`,
    nonce: `${base}/nonce`,
    credential: `${base}/credential`,
    challenge: `${base}/challenge`,
    deferredCredential: `${base}/deferred_credential`,
    notification: `${base}/notification`,
  };
}

/** The address of a credential offer; the wallet fetches the offer object there. */
export function offerUrl(issuerUrl: string, offerId: string): string {
  return `${issuerUrl}/oidc4vci/offers/${encodeURIComponent(offerId)}`;
}

/** Where a status list is published: the `uri` in the credentials that it has entries for, and its token's `sub`. */
export function statusListUrl(issuerUrl: string, listId: string): string {
  return `${issuerUrl}/oidc4vci/status-lists/${encodeURIComponent(listId)}`;
}

/** Where the Type Metadata of a configuration is served: its `vct`, unless the document names another. */
export function typeMetadataUrl(issuerUrl: string, configurationId: string): string {
  return `${issuerUrl}/oidc4vci/types/${encodeURIComponent(configurationId)}`;
}
