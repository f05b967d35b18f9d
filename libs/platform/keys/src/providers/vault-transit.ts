import { isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import type { Described } from '../description';
import { UnusableAnswer, type RemoteKey } from '../device';
import { openHttp } from '../http';
import { readSecretFile } from '../secret-files';
import { bytesOf, pemKey, textOf } from './answers';

function objectOf(answer: JsonObject, name: string): JsonObject {
  const value = ownMember(answer, name);
  if (isJsonObject(value)) return value;
  throw new UnusableAnswer(`the answer of the device has no object ${name}`);
}

/** Transit answers `vault:v1:<signature>`: the version must be the one of the certificate. */
function signatureOf(text: string, version: number): Uint8Array {
  const prefix = `vault:v${version}:`;
  if (text.startsWith(prefix)) return bytesOf(text.slice(prefix.length));
  throw new UnusableAnswer('the answer of the device is not a signature of the version that was asked for');
}

/** A key of the transit secrets engine of HashiCorp Vault or OpenBao: POST sign/{key} with marshaling_algorithm jws. */
export function openVaultTransitKey(described: Described<'vault-transit'>): RemoteKey {
  const { url, mount, key, version, namespace, tokenFile } = described;
  const http = openHttp(described);
  const addressOf = (operation: string) =>
    new URL(`${url.replace(/\/$/, '')}/v1/${mount}/${operation}/${encodeURIComponent(key)}`);
  const headers = () => ({
    'content-type': 'application/json',
    // An agent renews the file: it is read each time.
    'x-vault-token': readSecretFile(tokenFile),
    ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
  });
  const post = async (operation: string, members: object, signal: AbortSignal) =>
    objectOf(
      await http.call({
        method: 'POST',
        url: addressOf(operation),
        headers: headers(),
        body: JSON.stringify(members),
        signal,
      }),
      'data',
    );
  return {
    async sign(input, signal) {
      const order = {
        input: Buffer.from(input).toString('base64'),
        hash_algorithm: 'sha2-256',
        marshaling_algorithm: 'jws',
        key_version: version,
      };
      return signatureOf(textOf(await post('sign', order, signal), 'signature'), version);
    },
    async readPublicKey(signal) {
      const answer = await http.call({ method: 'GET', url: addressOf('keys'), headers: headers(), signal });
      const versions = objectOf(objectOf(answer, 'data'), 'keys');
      return pemKey(textOf(objectOf(versions, String(version)), 'public_key'));
    },
    async unwrap(wrapped, signal) {
      const order = { ciphertext: Buffer.from(wrapped).toString('utf8') };
      return bytesOf(textOf(await post('decrypt', order, signal), 'plaintext'));
    },
    close: () => http.close(),
  };
}
