import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';

const MILLISECONDS = 10_000;
const CONNECT_MILLISECONDS = 3_000;
const MAX_BYTES = 1_048_576;

/** What is at an address: an answer, or the code of the error. */
export type Look =
  | {
      readonly status: number;
      readonly body: unknown;
      /** The end of the server's certificate. */
      readonly certificateEnds?: Date | undefined;
    }
  | { readonly failure: string };

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) throw Object.assign(new Error('too large'), { code: 'ANSWER_TOO_LARGE' });
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function endOf(response: IncomingMessage): Date | undefined {
  const certificate = (response.socket as Partial<TLSSocket>).getPeerCertificate?.();
  return certificate?.valid_to === undefined ? undefined : new Date(certificate.valid_to);
}

async function lookOf(response: IncomingMessage): Promise<Look> {
  const certificateEnds = endOf(response);
  return { status: response.statusCode ?? 0, body: jsonOf(await readBody(response)), certificateEnds };
}

/** Requests an address as a phone does, with a fresh connection, and waits no longer than this for all of it. Never rejects. */
export function lookAt(url: URL, ca: string | undefined, milliseconds = MILLISECONDS): Promise<Look> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = { agent: false, ...(ca === undefined ? {} : { ca }), headers: { accept: 'application/json' } };
  return new Promise((resolve) => {
    const end = (look: Look): void => {
      clearTimeout(timer);
      resolve(look);
    };
    const fail = (error: NodeJS.ErrnoException) => end({ failure: error.code ?? error.name });
    const sent = send(url, options, (response) => void lookOf(response).then(end, fail));
    // A time limit of the request would neither count while it connects, nor while an answer comes byte by byte.
    const timer = setTimeout(() => {
      end({ failure: 'ETIMEDOUT' });
      sent.destroy();
    }, milliseconds);
    sent.on('error', fail);
    sent.end();
  });
}

/** The addresses of a name; none if it is unknown. */
export async function addressesOf(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** Does anything accept connections there? */
export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isOpen);
    };
    const timer = setTimeout(() => end(false), CONNECT_MILLISECONDS);
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
