import { createHash, createPrivateKey, sign as signWith } from 'node:crypto';
import { parseJson, type JsonObject } from '@vestibule/foundation';
import { z } from 'zod';
import type { Described } from '../description';
import type { RemoteKey } from '../device';
import { descriptionFault } from '../failures';
import { openHttp, type HttpDevice } from '../http';
import { readSecretFile } from '../secret-files';
import { createTokenHolder } from './access-token';
import { bytesOf, pemKey, rawOf, textOf } from './answers';

const SCOPE = 'https://www.googleapis.com/auth/cloudkms';
const ASSERTION_SECONDS = 600;

const account = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url({ protocol: /^https?$/ }),
});

function readAccount(file: string) {
  const parsed = account.safeParse(parseJson(readSecretFile(file)));
  if (parsed.success) return parsed.data;
  throw descriptionFault(`names ${file}, which is not the JSON key of a service account`);
}

const encode = (value: object) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** The assertion of a service account for its token endpoint (RFC 7523 §2.1). */
function assertionOf({ client_email, private_key, private_key_id, token_uri }: z.infer<typeof account>): string {
  const iat = Math.floor(Date.now() / 1000);
  const header = { alg: 'RS256', typ: 'JWT', ...(private_key_id === undefined ? {} : { kid: private_key_id }) };
  const claims = { iss: client_email, scope: SCOPE, aud: token_uri, iat, exp: iat + ASSERTION_SECONDS };
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${signWith('sha256', Buffer.from(input, 'ascii'), createPrivateKey(private_key)).toString('base64url')}`;
}

function fetchTokenOf({ credentialsFile, metadataUrl }: Described<'gcp-kms'>, http: HttpDevice) {
  return (signal: AbortSignal): Promise<JsonObject> => {
    if (credentialsFile === undefined) {
      const path = '/computeMetadata/v1/instance/service-accounts/default/token';
      const headers = { 'metadata-flavor': 'Google' };
      return http.call({ method: 'GET', url: new URL(path, metadataUrl), headers, signal });
    }
    const own = readAccount(credentialsFile);
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(own),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return http.call({ method: 'POST', url: new URL(own.token_uri), headers, body: body.toString(), signal });
  };
}

/** A key of Google Cloud KMS (EC_SIGN_P256_SHA256), by its REST API: asymmetricSign, publicKey, decrypt. */
export function openGcpKmsKey(described: Described<'gcp-kms'>): RemoteKey {
  const { url, key } = described;
  const http = openHttp();
  const withToken = createTokenHolder(fetchTokenOf(described, http));
  const addressOf = (suffix: string) => new URL(`${url.replace(/\/$/, '')}/v1/${key}${suffix}`);
  const post = (operation: string, members: object, signal: AbortSignal) =>
    withToken(signal, (token) =>
      http.call({
        method: 'POST',
        url: addressOf(`:${operation}`),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(members),
        signal,
      }),
    );
  return {
    async sign(input, signal) {
      const digest = { sha256: createHash('sha256').update(input).digest('base64') };
      return rawOf(bytesOf(textOf(await post('asymmetricSign', { digest }, signal), 'signature')));
    },
    async readPublicKey(signal) {
      const answer = await withToken(signal, (token) =>
        http.call({
          method: 'GET',
          url: addressOf('/publicKey'),
          headers: { authorization: `Bearer ${token}` },
          signal,
        }),
      );
      return pemKey(textOf(answer, 'pem'));
    },
    async unwrap(wrapped, signal) {
      const ciphertext = Buffer.from(wrapped).toString('base64');
      return bytesOf(textOf(await post('decrypt', { ciphertext }, signal), 'plaintext'));
    },
    close: () => http.close(),
  };
}
