import { createRequire } from 'node:module';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { Failure, type Host, type Input, type Option, UsageError } from './command';
import type * as OptionFile from './option-file';

/** How to reach the management listener of the gateway. */
export const MANAGEMENT_OPTIONS: Readonly<Record<string, Option>> = {
  url: { value: 'URL', about: 'the management listener; default: that of a gateway on this machine' },
  'bearer-file': { value: 'FILE', about: 'file with the bearer key, if the listener demands one' },
  ca: { value: 'FILE', about: 'PEM file with the authority of the listener, for https' },
  cert: { value: 'FILE', about: 'PEM file with the client certificate, for mutual TLS' },
  key: { value: 'FILE', about: 'PEM file with the key of the client certificate' },
};

const TIMEOUT_MILLISECONDS = 30_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface ManagementAnswer {
  /** Undefined for an answer without a body. */
  readonly body: unknown;
  /** The path of the next page of a list. */
  readonly next: string | undefined;
}

/** Asks the management listener. Throws a {@link Failure} with its problem, or why it cannot be reached. */
export type AskManagement = (method: string, path: string, body?: object) => Promise<ManagementAnswer>;

/** Loaded when an option names a file: what it stands on takes a second to load. */
const readOptionFile = (option: string, file: string): Buffer =>
  (createRequire(__filename)('./option-file') as typeof OptionFile).readOptionFile(option, file);

/** Where a gateway with this environment listens; a certificate that it has makes it speak TLS. */
function defaultUrl({ environment }: Host): string {
  const scheme = environment['MANAGEMENT_TLS_CERTIFICATE_FILE'] ? 'https' : 'http';
  return `${scheme}://127.0.0.1:${environment['MANAGEMENT_PORT'] || '8081'}`;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new UsageError('--url must be an http or https URL, for example http://127.0.0.1:8081');
}

function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    response.on('data', (part: Buffer) => {
      bytes += part.byteLength;
      if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error('the answer is too large'));
      else parts.push(part);
    });
    response.once('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    response.once('error', reject);
  });
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Failure('the answer is not JSON: is --url the management listener of a gateway?');
  }
}

interface Problem {
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** What an error of the gateway says, in one line; `otherwise` for any other body. */
export function problemSentence<Otherwise>(body: unknown, otherwise: Otherwise): string | Otherwise {
  const { detail, code, errors = [] } = (typeof body === 'object' && body !== null ? body : {}) as Problem;
  if (detail === undefined) return otherwise;
  const faults = errors.map(({ path, message }) => `; ${path} ${message}`).join('');
  return `${detail}${faults}${code ? ` [${code}]` : ''}`;
}

function failureOf(status: number, body: unknown): Failure {
  return new Failure(problemSentence(body, `the listener answered with ${status}`));
}

function send(url: URL, options: RequestOptions, body: string | undefined): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve);
    sent.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message;
      reject(new Failure(`${url.origin} cannot be reached (${why}): is the gateway running, and is --url right?`));
    });
    sent.setTimeout(TIMEOUT_MILLISECONDS, () => sent.destroy(new Error('no answer in time')));
    sent.end(body);
  });
}

/** The next page as its `Link` header has it, which is relative to the request. */
function nextOf(response: IncomingMessage, url: URL): string | undefined {
  const [, reference] = /^<([^>]*)>; rel="next"$/.exec(String(response.headers['link'] ?? '')) ?? [];
  if (reference === undefined) return undefined;
  const { pathname, search } = new URL(reference, url);
  return `${pathname}${search}`;
}

/** The management listener as the options name it. */
export function openManagement({ options, host }: Input): AskManagement {
  const base = parseUrl(options['url'] ?? defaultUrl(host));
  const file = (name: string) => (options[name] === undefined ? undefined : readOptionFile(name, options[name]));
  const bearer = file('bearer-file')?.toString('utf8').trim();
  const common = {
    ca: file('ca'),
    cert: file('cert'),
    key: file('key'),
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  };
  return async function ask(method, path, body) {
    const url = new URL(path, base);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { ...common.headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await send(url, { ...common, method, headers }, text);
    const answer = parseBody(await readText(response));
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw failureOf(status, answer);
    return { body: answer, next: nextOf(response, url) };
  };
}
