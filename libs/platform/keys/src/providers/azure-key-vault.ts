import { createHash, createPublicKey } from 'node:crypto';
import { isJsonObject, ownMember } from '@vestibule/foundation';
import type { Described } from '../description';
import { UnusableAnswer, type RemoteKey } from '../device';
import { openHttp } from '../http';
import { readSecretFile } from '../secret-files';
import { createTokenHolder } from './access-token';
import { bytesOf, publicKeyOf, textOf } from './answers';

const API_VERSION = '7.4';

/** A key of Azure Key Vault or Managed HSM (EC or EC-HSM on P-256), by its REST API: sign, get key, unwrapkey. */
export function openAzureKey(described: Described<'azure-key-vault'>): RemoteKey {
  const { url, key, version, tenantId, clientId, clientSecretFile, loginUrl, scope } = described;
  const http = openHttp();
  const withToken = createTokenHolder((signal) => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: readSecretFile(clientSecretFile),
      scope,
    });
    return http.call({
      method: 'POST',
      url: new URL(`/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, loginUrl),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      signal,
    });
  });
  const addressOf = (operation: string) =>
    new URL(`/keys/${key}/${version}${operation}?api-version=${API_VERSION}`, url);
  const post = (operation: string, members: object, signal: AbortSignal) =>
    withToken(signal, (token) =>
      http.call({
        method: 'POST',
        url: addressOf(`/${operation}`),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(members),
        signal,
      }),
    );
  return {
    // It answers R and S, as JWS does.
    async sign(input, signal) {
      const value = createHash('sha256').update(input).digest('base64url');
      return bytesOf(textOf(await post('sign', { alg: 'ES256', value }, signal), 'value'));
    },
    async readPublicKey(signal) {
      const answer = await withToken(signal, (token) =>
        http.call({ method: 'GET', url: addressOf(''), headers: { authorization: `Bearer ${token}` }, signal }),
      );
      const found = ownMember(answer, 'key');
      if (!isJsonObject(found)) throw new UnusableAnswer('the answer of the device has no key');
      // A key in an HSM has its own kty.
      const jwk = { kty: 'EC', crv: textOf(found, 'crv'), x: textOf(found, 'x'), y: textOf(found, 'y') };
      return publicKeyOf(() => createPublicKey({ key: jwk, format: 'jwk' }));
    },
    async unwrap(wrapped, signal) {
      const value = Buffer.from(wrapped).toString('base64url');
      return bytesOf(textOf(await post('unwrapkey', { alg: 'RSA-OAEP-256', value }, signal), 'value'));
    },
    close: () => http.close(),
  };
}
