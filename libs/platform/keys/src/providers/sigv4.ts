import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

const sha256Hex = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest();

/** `20150830T123600Z`. */
const stampOf = (now: Date) => now.toISOString().replace(/[-:]|\.\d{3}/g, '');

function signingKey({ region, service }: AwsRequest, secret: string, day: string): Buffer {
  return [region, service, 'aws4_request'].reduce<Buffer>((key, part) => hmac(key, part), hmac(`AWS4${secret}`, day));
}

/** The headers of a request with AWS Signature Version 4, for paths and queries that need no further encoding. */
export function signAwsRequest(request: AwsRequest, credentials: AwsCredentials): Record<string, string> {
  const { method, url, body, region, service, now } = request;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const stamp = stampOf(now);
  const day = stamp.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': stamp,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ ...headers, host: url.host }).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    sha256Hex(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256Hex(canonical)].join('\n');
  const signature = hmac(signingKey(request, secretAccessKey, day), toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}
