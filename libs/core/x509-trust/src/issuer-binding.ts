import { parseUrl } from '@vestibule/foundation';
import type { Certificate } from './certificate';
import { x509Failure } from './failures';

/**
 * How `iss` must match the leaf certificate. `san`: the certificate names it. `allowlist`: it is one of `issuers`,
 * whichever certificate under the anchor signed. `none`: no binding (HAIP 1.0 requires none).
 */
export type IssuerBinding =
  | { readonly policy: 'san' }
  | { readonly policy: 'allowlist'; readonly issuers: readonly string[] }
  | { readonly policy: 'none' };

/** Host of an http(s) URL in its normal form, without user name or `*`; undefined otherwise. */
function hostOf(iss: string): string | undefined {
  const url = parseUrl(iss, { schemes: ['https', 'http'] });
  return url?.hostname.includes('*') ? undefined : url?.hostname;
}

/** True when the certificate names `iss`: as a SAN URI exactly, or its host as a SAN dNSName; wildcards never match. */
export function isIssuerInSan(iss: string, { subjectAltName }: Certificate): boolean {
  if (subjectAltName.uris.includes(iss)) return true;
  const host = hostOf(iss);
  return host !== undefined && subjectAltName.dnsNames.some((name) => name.toLowerCase() === host);
}

/** The name of an issuer for people: `iss`, else the first SAN URI of the leaf, else its subject, else a SAN dNSName. */
export function issuerName(iss: string | undefined, { subjectAltName, subjectText }: Certificate): string {
  if (iss !== undefined) return iss;
  return subjectAltName.uris[0] ?? (subjectText || (subjectAltName.dnsNames[0] ?? ''));
}

/**
 * Throws `issuer_not_bound` unless the policy accepts `iss` for this leaf. Without `iss` the issuer is whom the
 * certificate names: `san` then holds, and `allowlist` looks that name up.
 */
export function verifyIssuerBinding(iss: string | undefined, leaf: Certificate, binding: IssuerBinding): void {
  switch (binding.policy) {
    case 'none':
      return;
    case 'san':
      if (iss !== undefined && !isIssuerInSan(iss, leaf)) throw x509Failure('issuer_not_bound');
      return;
    case 'allowlist':
      if (!binding.issuers.includes(issuerName(iss, leaf))) throw x509Failure('issuer_not_bound');
  }
}
