import { createHash } from 'node:crypto';
import { parseJson } from '@vestibule/foundation';
import { z } from 'zod';
import type { Described } from '../description';
import type { RemoteKey } from '../device';
import { descriptionFault } from '../failures';
import { openHttp } from '../http';
import { readSecretFile } from '../secret-files';
import { bytesOf, rawOf, spkiKey, textOf } from './answers';
import { signAwsRequest, type AwsCredentials } from './sigv4';

const credentials = z.object({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
});

function readCredentials(file: string): AwsCredentials {
  const parsed = credentials.safeParse(parseJson(readSecretFile(file)));
  if (parsed.success) return parsed.data;
  throw descriptionFault(`names ${file}, which is not JSON with accessKeyId and secretAccessKey`);
}

/** A key of AWS KMS (ECC_NIST_P256, SIGN_VERIFY), by its JSON API: Sign, GetPublicKey, Decrypt. */
export function openAwsKmsKey(described: Described<'aws-kms'>): RemoteKey {
  const { region, keyId, credentialsFile } = described;
  const url = new URL(described.url ?? `https://kms.${region}.amazonaws.com/`);
  const http = openHttp();
  const call = (operation: string, members: object, signal: AbortSignal) => {
    const body = JSON.stringify({ KeyId: keyId, ...members });
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` };
    const order = { method: 'POST', url, headers, body, region, service: 'kms', now: new Date() } as const;
    // Temporary credentials change: the file is read each time.
    return http.call({
      method: 'POST',
      url,
      headers: signAwsRequest(order, readCredentials(credentialsFile)),
      body,
      signal,
    });
  };
  return {
    async sign(input, signal) {
      const digest = createHash('sha256').update(input).digest('base64');
      const order = { Message: digest, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' };
      return rawOf(bytesOf(textOf(await call('Sign', order, signal), 'Signature')));
    },
    readPublicKey: async (signal) => spkiKey(bytesOf(textOf(await call('GetPublicKey', {}, signal), 'PublicKey'))),
    async unwrap(wrapped, signal) {
      const order = { CiphertextBlob: Buffer.from(wrapped).toString('base64') };
      return bytesOf(textOf(await call('Decrypt', order, signal), 'Plaintext'));
    },
    close: () => http.close(),
  };
}
