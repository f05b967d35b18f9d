import type { SignBytes } from '@vestibule/crypto';
import { encodeBase64url, toNumericDate, type JsonObject } from '@vestibule/foundation';

export interface SignedMetadataOrder {
  /** The JSON form, whose members all become claims. */
  readonly metadata: JsonObject;
  readonly issuerUrl: string;
  /** The leaf first, without the anchor (HAIP 1.0 §4.1). */
  readonly x5c: readonly string[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** ES256 over the bytes given. */
  readonly sign: SignBytes;
}

const encode = (value: JsonObject) => encodeBase64url(Buffer.from(JSON.stringify(value), 'utf8'));

/** Signs the Credential Issuer Metadata as a JWT (OpenID4VCI 1.0 §12.2.3). */
export async function signIssuerMetadata(order: SignedMetadataOrder): Promise<string> {
  const { metadata, issuerUrl, x5c, issuedAt, expiresAt, sign } = order;
  const header = { alg: 'ES256', typ: 'openidvci-issuer-metadata+jwt', x5c: [...x5c] };
  const claims = {
    ...metadata,
    iss: issuerUrl,
    sub: issuerUrl,
    iat: toNumericDate(issuedAt),
    exp: toNumericDate(expiresAt),
  };
  const signingInput = `${encode(header)}.${encode(claims)}`;
  return `${signingInput}.${encodeBase64url(await sign(Buffer.from(signingInput, 'ascii')))}`;
}
