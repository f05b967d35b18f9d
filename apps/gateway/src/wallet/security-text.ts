import { DomainError, urlFault } from '@vestibule/foundation';

/** The content of `/.well-known/security.txt` (RFC 9116). */
export interface SecurityText {
  /** In the operator's order of preference (§2.5.3). */
  readonly contacts: readonly string[];
  /** The end of its validity (§2.5.5). */
  readonly expiresAt: Date;
  readonly policy: string | undefined;
}

const HOST = '(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]';
/** A single address without header fields (RFC 6068 §2). */
const MAILTO = new RegExp(`^mailto:[A-Za-z0-9._~!$'*+%-]{1,64}@${HOST}$`);
/** A global number (RFC 3966 §3). */
const TEL = /^tel:\+[0-9](?:[0-9.-]{1,30})$/;

/** Is this a valid contact (RFC 9116 §2.5.3)? A web address must use https. */
export function isContact(text: string): boolean {
  return MAILTO.test(text) || TEL.test(text) || urlFault(text, { schemes: ['https'] }) === undefined;
}

interface SecuritySettings {
  readonly baseUrl: string;
  readonly securityContacts?: readonly string[] | undefined;
  readonly securityExpires?: Date | undefined;
  readonly securityPolicy?: string | undefined;
}

/**
 * The operator's configuration, or undefined. Throws `security_text_incomplete` for contacts without an end, an end
 * without contacts, and a policy without both.
 */
export function securityTextOf(settings: SecuritySettings): SecurityText | undefined {
  const { securityContacts, securityExpires, securityPolicy } = settings;
  if (securityContacts !== undefined && securityExpires !== undefined) {
    return { contacts: securityContacts, expiresAt: securityExpires, policy: securityPolicy };
  }
  if (securityContacts === undefined && securityExpires === undefined && securityPolicy === undefined) return undefined;
  throw new DomainError({
    kind: 'invalid',
    code: 'security_text_incomplete',
    detail: 'set SECURITY_CONTACT and SECURITY_EXPIRES together, and SECURITY_POLICY only with both',
  });
}

/**
 * The file at this URL, or undefined once it has expired: nobody should rely on contacts that are no longer maintained
 * (RFC 9116 §5.3).
 */
export function renderSecurityText(text: SecurityText, canonical: URL, now: Date): string | undefined {
  if (text.expiresAt.getTime() <= now.getTime()) return undefined;
  const lines = [
    ...text.contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${text.expiresAt.toISOString().replace('.000', '')}`,
    ...(text.policy === undefined ? [] : [`Policy: ${text.policy}`]),
    ...(canonical.protocol === 'https:' ? [`Canonical: ${canonical.href}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
