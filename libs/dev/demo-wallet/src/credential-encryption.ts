import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Interceptor } from './journey';
import { isJsonObject, objectAt, stringsAt, type JsonObject } from './json';
import { insist } from './refusal';

/** The encryption settings in the issuer's metadata (OpenID4VCI 1.0 §12.2.4). */
interface IssuerEncryption {
  readonly jwk: JWK & { readonly kid: string; readonly alg: string };
  readonly enc: string;
}

function chooseEncryption(metadata: JsonObject): IssuerEncryption {
  const request = objectAt(metadata, 'credential_request_encryption');
  const keys = objectAt(request, 'jwks')['keys'];
  const jwk = (Array.isArray(keys) ? keys : []).find((key: unknown) => isJsonObject(key) && key['alg'] === 'ECDH-ES');
  const [enc] = stringsAt(request, 'enc_values_supported');
  const offered = stringsAt(objectAt(metadata, 'credential_response_encryption'), 'enc_values_supported');
  const complete = isJsonObject(jwk) && typeof jwk['kid'] === 'string' && enc !== undefined && offered.includes(enc);
  insist(complete, 'metadata_unsupported', 'the issuer offers no encryption that the wallet supports');
  return { jwk: jwk as IssuerEncryption['jwk'], enc };
}

/**
 * Encrypts credential requests and decrypts the answers, which the library leaves to the application in this version. A
 * successful answer that is not encrypted is refused (`response_not_encrypted`); errors are never encrypted.
 */
export async function encryptedExchange(metadata: JsonObject): Promise<Interceptor> {
  const { jwk, enc } = chooseEncryption(metadata);
  const recipient = await importJWK(jwk, 'ECDH-ES');
  const own = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const ownJwk = { ...(await exportJWK(own.publicKey)), alg: 'ECDH-ES', use: 'enc', kid: 'wallet-response' };

  return async (request, next) => {
    const body: unknown = JSON.parse(await request.text());
    insist(isJsonObject(body), 'request_malformed', 'the credential request is not a JSON object');
    const plaintext = JSON.stringify({ ...body, credential_response_encryption: { jwk: ownJwk, enc } });
    const jwe = await new CompactEncrypt(Buffer.from(plaintext))
      .setProtectedHeader({ alg: 'ECDH-ES', enc, kid: jwk.kid })
      .encrypt(recipient);
    const headers = new Headers(request.headers);
    headers.set('content-type', 'application/jwt');
    const answer = await next(new Request(request.url, { method: 'POST', headers, body: jwe }));
    if (!answer.ok) return answer;
    const type = answer.headers.get('content-type') ?? '';
    insist(type.startsWith('application/jwt'), 'response_not_encrypted', 'the answer is not encrypted');
    const decrypted = await compactDecrypt(await answer.text(), own.privateKey);
    const named = decrypted.protectedHeader.kid === ownJwk.kid;
    insist(named, 'response_malformed', 'the encrypted answer does not name the key');
    const plainHeaders = new Headers({ 'content-type': 'application/json' });
    return new Response(Buffer.from(decrypted.plaintext).toString('utf8'), {
      status: answer.status,
      headers: plainHeaders,
    });
  };
}
