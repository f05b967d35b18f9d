import { Agent, request, type Dispatcher } from 'undici';
import { isJsonObject, parseJson, type JsonObject } from '@vestibule/foundation';
import { sharedLookup } from '@vestibule/process';
import { LastingFailure, UnusableAnswer } from './device';
import { readSecretFile } from './secret-files';

export interface TlsFiles {
  readonly caFile?: string | undefined;
  readonly clientCertificateFile?: string | undefined;
  readonly clientKeyFile?: string | undefined;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpDevice {
  /** The JSON object of a 2xx answer; throws for anything else, with nothing of the answer in the sentence. */
  call(call: Call): Promise<JsonObject>;
  close(): Promise<void>;
}

const LARGEST_ANSWER = 262_144;
const CONNECT_MILLISECONDS = 3_000;
/** Refused, and refused again when asked again; 408 and 429 pass. */
const isLasting = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > LARGEST_ANSWER) throw new UnusableAnswer('the answer of the device is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The secret may have been rotated: 401 and 403 are told apart, so that a caller can read it again. */
export class Refused extends LastingFailure {
  constructor(readonly status: number) {
    super(`the device answered ${status}`);
  }
}

/** Calls a device over HTTP, with kept connections, bounded answers, no redirects, and its own authorities where given. */
export function openHttp({ caFile, clientCertificateFile, clientKeyFile }: TlsFiles = {}): HttpDevice {
  const read = (file: string | undefined) => (file === undefined ? undefined : readSecretFile(file));
  const agent = new Agent({
    connect: {
      timeout: CONNECT_MILLISECONDS,
      lookup: sharedLookup,
      ...(caFile === undefined ? {} : { ca: read(caFile) }),
      ...(clientCertificateFile === undefined ? {} : { cert: read(clientCertificateFile), key: read(clientKeyFile) }),
    },
  });
  return {
    async call({ method, url, headers = {}, body, signal }) {
      const response = await request(url, { method, headers, body: body ?? null, signal, dispatcher: agent });
      const { statusCode: status } = response;
      if (status < 200 || status > 299) {
        await response.body.dump();
        if (status === 401 || status === 403) throw new Refused(status);
        if (isLasting(status)) throw new LastingFailure(`the device answered ${status}`);
        throw new UnusableAnswer(`the device answered ${status}`);
      }
      const answer = parseJson(await readBounded(response.body));
      if (isJsonObject(answer)) return answer;
      throw new UnusableAnswer('the answer of the device is not a JSON object');
    },
    // A service that ends does not wait for a device that hangs.
    close: () => agent.destroy(),
  };
}
