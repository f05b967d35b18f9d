import type { Described } from '../description';
import type { RemoteKey } from '../device';
import { openHttp } from '../http';
import { readSecretFile } from '../secret-files';
import { bytesOf, pemKey, textOf } from './answers';

/**
 * The signing protocol of docs/keys.md: POST {url}/sign, and beside it /unwrap and /public-key, each with the name of the key. A
 * signature is R and S; the service sees the message, and hashes it.
 */
export function openHttpsKey(described: Described<'https'>): RemoteKey {
  const { url, key, authorizationFile } = described;
  const http = openHttp(described);
  const call = (operation: string, members: object, signal: AbortSignal) =>
    http.call({
      method: 'POST',
      url: new URL(`${url.replace(/\/$/, '')}/${operation}`),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        // Read each time, so that it can be rotated without a restart.
        ...(authorizationFile === undefined ? {} : { authorization: readSecretFile(authorizationFile) }),
      },
      body: JSON.stringify({ key, ...members }),
      signal,
    });
  return {
    async sign(input, signal) {
      const message = Buffer.from(input).toString('base64');
      return bytesOf(textOf(await call('sign', { algorithm: 'ES256', message }, signal), 'signature'));
    },
    readPublicKey: async (signal) => pemKey(textOf(await call('public-key', {}, signal), 'public_key')),
    async unwrap(wrapped, signal) {
      const ciphertext = Buffer.from(wrapped).toString('base64');
      return bytesOf(textOf(await call('unwrap', { ciphertext }, signal), 'plaintext'));
    },
    close: () => http.close(),
  };
}
