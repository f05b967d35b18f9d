import { DomainError, isJsonObject, parseJson, type Clock, type JsonObject } from '@vestibule/foundation';
import { signIssuerMetadata } from '@vestibule/oid4vci';
import type { IssueCredentialDeps } from './issue-credential';
import type { IssuerDocuments } from './read-documents';

export interface GetSignedMetadataDeps extends Pick<IssueCredentialDeps, 'issuerUrl' | 'signerAt'> {
  readonly clock: Clock;
  readonly documents: IssuerDocuments;
  /** False serves the JSON form alone. */
  readonly signsMetadata: boolean;
}

/** What was signed last, and with which certificate. */
interface Signed {
  readonly text: string;
  readonly jwt: string;
  readonly leaf: string | undefined;
  readonly renewAt: Date;
}

const LIFETIME_SECONDS = 86_400;
const RENEWAL_SECONDS = 3_600;

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

function parseDocument(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new DomainError({ kind: 'internal', code: 'internal_error', detail: 'the issuer metadata is no JSON object' });
}

/**
 * The issuer metadata as a JWT (OpenID4VCI 1.0 §12.2.3), signed with the key of the credentials; good for a day, and
 * signed anew each hour, with each new certificate and when the document changes. Nothing where it is switched off: the JSON form is served then.
 */
export function getSignedMetadata(deps: GetSignedMetadataDeps): () => Promise<{ jwt?: string }> {
  let last: Signed | undefined;
  return async () => {
    if (!deps.signsMetadata) return {};
    const now = deps.clock();
    const { sign, x5c } = deps.signerAt(now);
    const text = deps.documents['openid-credential-issuer'];
    if (last && now < last.renewAt && last.leaf === x5c[0] && last.text === text) return { jwt: last.jwt };
    const metadata = parseDocument(text);
    const expiresAt = after(now, LIFETIME_SECONDS);
    const { issuerUrl } = deps;
    const jwt = await signIssuerMetadata({ metadata, issuerUrl, x5c, issuedAt: now, expiresAt, sign });
    last = { text, jwt, leaf: x5c[0], renewAt: after(now, RENEWAL_SECONDS) };
    return { jwt };
  };
}
