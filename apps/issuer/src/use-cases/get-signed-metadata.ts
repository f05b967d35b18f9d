import { DomainError, isJsonObject, parseJson, type Clock, type JsonObject } from '@vestibule/foundation';
import { signIssuerMetadata } from '@vestibule/oid4vci';
import type { IssuerDocuments } from './read-documents';
import type { CredentialSigner, Reports, SigningKeys } from '../domain/ports';

export interface GetSignedMetadataDeps {
  readonly clock: Clock;
  readonly issuerUrl: string;
  /** The key of the access certificate, or that of the credentials where there is none. */
  readonly signerAt: SigningKeys['metadataSignerAt'];
  readonly reportFailure: Reports['reportFailure'];
  readonly documents: IssuerDocuments;
  /** False serves only the JSON form. */
  readonly signsMetadata: boolean;
}

/** The last signed metadata, and the certificate that signed it. */
interface Signed {
  readonly text: string;
  readonly jwt: string;
  readonly leaf: string | undefined;
  readonly signedAt: Date;
  readonly renewAt: Date;
  readonly expiresAt: Date;
  /** After a failed signature: this one is served until then, even if outdated. */
  readonly retryAt?: Date;
}

/** What is to be signed now. */
interface Order {
  readonly now: Date;
  readonly text: string;
  readonly signer: CredentialSigner;
}

const LIFETIME_SECONDS = 86_400;
const RENEWAL_SECONDS = 3_600;
const RETRY_SECONDS = 60;
/** Wallets forgive this much in the difference of clocks. */
const CLOCKS_DIFFER_SECONDS = 60;

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

function parseDocument(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new DomainError({
    kind: 'internal',
    code: 'internal_error',
    detail: 'the issuer metadata is not a JSON object',
  });
}

async function signText({ issuerUrl }: GetSignedMetadataDeps, { now, text, signer }: Order): Promise<Signed> {
  const { sign, x5c } = signer;
  const expiresAt = after(now, LIFETIME_SECONDS);
  const jwt = await signIssuerMetadata({
    metadata: parseDocument(text),
    issuerUrl,
    x5c,
    issuedAt: now,
    expiresAt,
    sign,
  });
  return { text, jwt, leaf: x5c[0], signedAt: now, renewAt: after(now, RENEWAL_SECONDS), expiresAt };
}

/** Not so if it was signed with a clock that was ahead: wallets refuse it until that time has come. */
function isCurrent({ text, signedAt, renewAt, retryAt }: Signed, order: Order): boolean {
  const { now } = order;
  if (retryAt && now < retryAt && retryAt <= after(now, RETRY_SECONDS)) return true;
  return text === order.text && now < renewAt && signedAt <= after(now, CLOCKS_DIFFER_SECONDS);
}

/**
 * The issuer metadata as a JWT (OpenID4VCI 1.0 §12.2.3), signed with the key of the access certificate
 * (of the credentials, where there is none). It is valid for a day,
 * and signed again every hour, with each new certificate and when the document changes, once for all concurrent
 * callers. While signing fails, the previous one is served until it expires: a key for encrypted requests in it remains
 * usable for as long. Returns nothing if signing is disabled: the JSON form is served then.
 */
export function getSignedMetadata(deps: GetSignedMetadataDeps): () => Promise<{ jwt?: string }> {
  let last: Signed | undefined;
  let running: Promise<Signed> | undefined;

  async function renew(order: Order, former: Signed | undefined): Promise<Signed> {
    try {
      last = await signText(deps, order);
      return last;
    } catch (error) {
      if (!former) throw error;
      deps.reportFailure(error);
      last = { ...former, retryAt: after(order.now, RETRY_SECONDS) };
      return last;
    } finally {
      running = undefined;
    }
  }

  return async function getSignedMetadata() {
    if (!deps.signsMetadata) return {};
    const now = deps.clock();
    const signer = deps.signerAt(now);
    const order = { now, signer, text: deps.documents['openid-credential-issuer'] };
    const former = last && last.leaf === signer.x5c[0] && now < last.expiresAt ? last : undefined;
    if (former && isCurrent(former, order)) return { jwt: former.jwt };
    running ??= renew(order, former);
    return { jwt: (await running).jwt };
  };
}
