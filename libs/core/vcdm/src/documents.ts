import type { JsonObject } from '@vestibule/foundation';

export const CREDENTIALS_V2 = 'https://www.w3.org/ns/credentials/v2';

/** An entry of `credentialSchema`, for example of type `JsonSchema` (W3C VC JSON Schema §2). */
export interface CredentialSchema {
  readonly id: string;
  readonly type: string;
}

/** Everything that a credential says. */
export interface CredentialContent {
  /** The DID of the credential itself. */
  readonly id: string;
  /** Beyond `VerifiableCredential`. */
  readonly types: readonly string[];
  /** Beyond the context of VCDM 2.0, in order: addresses of known contexts, or contexts in the document. */
  readonly contexts: readonly (string | JsonObject)[];
  /** The claims. The holder's DID becomes the `id`, where there is one. */
  readonly credentialSubject: JsonObject;
  readonly credentialSchema: readonly CredentialSchema[];
  readonly issuerDid: string;
  readonly holderDid?: string | undefined;
  readonly validFrom?: Date | undefined;
  readonly validUntil?: Date | undefined;
  /** Its entries in status lists. */
  readonly credentialStatus?: readonly JsonObject[] | undefined;
}

/** `2026-03-01T12:00:00Z`: an XML Schema dateTimeStamp without fractions. */
export function formatInstant(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** The time zones of XML Schema end at 14 hours. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/;

/** JavaScript takes 30 February for 2 March. */
function isInCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

/**
 * The time of an XML Schema dateTimeStamp; undefined for everything else, such as a day that does not exist in the
 * calendar.
 */
export function parseInstant(text: unknown): Date | undefined {
  const [written, date = ''] = typeof text === 'string' ? (INSTANT.exec(text) ?? []) : [];
  const instant = written !== undefined && isInCalendar(date) ? new Date(written) : undefined;
  return instant && !Number.isNaN(instant.getTime()) ? instant : undefined;
}

const oneOrMany = (entries: readonly JsonObject[]): JsonObject | JsonObject[] =>
  entries.length === 1 ? (entries[0] as JsonObject) : [...entries];

/** A regular credential without a proof: what a draft is, and what gets signed (VCDM 2.0 §4). */
export function buildCredential(content: CredentialContent): JsonObject {
  const { id, types, contexts, credentialSubject, credentialSchema, issuerDid, holderDid } = content;
  const { validFrom, validUntil, credentialStatus = [] } = content;
  return {
    '@context': [CREDENTIALS_V2, ...contexts],
    id,
    type: ['VerifiableCredential', ...types.filter((type) => type !== 'VerifiableCredential')],
    issuer: issuerDid,
    ...(validFrom ? { validFrom: formatInstant(validFrom) } : {}),
    ...(validUntil ? { validUntil: formatInstant(validUntil) } : {}),
    credentialSubject: holderDid === undefined ? credentialSubject : { ...credentialSubject, id: holderDid },
    ...(credentialStatus.length === 0 ? {} : { credentialStatus: oneOrMany(credentialStatus) }),
    ...(credentialSchema.length === 0 ? {} : { credentialSchema: credentialSchema.map((entry) => ({ ...entry })) }),
  };
}

/** Everything that a presentation says. */
export interface PresentationContent {
  readonly id: string;
  readonly holderDid: string;
  readonly credentials: readonly JsonObject[];
}

/** A presentation without a proof (VCDM 2.0 §4.13). */
export function buildPresentation({ id, holderDid, credentials }: PresentationContent): JsonObject {
  return {
    '@context': [CREDENTIALS_V2],
    id,
    type: ['VerifiablePresentation'],
    holder: holderDid,
    verifiableCredential: [...credentials],
  };
}
