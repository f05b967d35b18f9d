import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import {
  nowSeconds,
  rawSignature,
  signJwt,
  x5cOf,
  type Change,
  type Identity,
  type JwtDraft,
} from './handmade-credential';

/** PEM of a certificate for `localhost` and of its key. */
export interface HostCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A host of status lists, and of other documents, on the loopback interface that does what it is told. */
export interface StatusHost {
  /** For the verifier's development allow-list. */
  readonly host: string;
  readonly origin: string;
  /** Paths that were asked for. */
  readonly calls: readonly string[];
  /** What the host does at a path; gives the whole address. */
  at(path: string, answer: RequestListener): string;
  /** Serves a token at a path; gives the whole address. */
  serve(path: string, token: (uri: string) => string): string;
  stop(): Promise<void>;
}

const MEDIA_TYPE = 'application/statuslist+jwt';

/** Two bits for each entry: 1 is revoked, 2 suspended, 3 means something to the application, the others are valid. */
export const STATUSES = Buffer.from([0b11_10_01_00, 0, 0, 0]);

/** A status list token with which nothing is wrong, signed as a JWT is signed by hand; `change` makes it another one. */
export function statusToken(uri: string, signer: Identity, change: Change<JwtDraft> = () => ({})): string {
  const right: JwtDraft = {
    header: { alg: 'ES256', typ: 'statuslist+jwt', x5c: x5cOf(signer.chain) },
    payload: {
      sub: uri,
      iat: nowSeconds() - 10,
      exp: nowSeconds() + 600,
      ttl: 300,
      status_list: { bits: 2, lst: deflateSync(STATUSES).toString('base64url') },
    },
    key: signer.key,
    signature: rawSignature,
  };
  return signJwt({ ...right, ...change(right) });
}

export interface StatusHostOptions {
  /** Speaks https with it, else http. */
  readonly tls?: HostCertificate;
  /** Leads from an address that a shared verifier may fetch from to the port of this host. */
  readonly openDoor?: (port: number) => Promise<number>;
}

/** Starts a host. Behind a door its paths are its own: a verifier remembers what an earlier host said at one. */
export async function startStatusHost({ tls, openDoor }: StatusHostOptions = {}): Promise<StatusHost> {
  const answers = new Map<string, RequestListener>();
  const calls: string[] = [];
  const answerAny: RequestListener = (request, response) => {
    const path = request.url ?? '';
    calls.push(path);
    const answer = answers.get(path);
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  };
  const server = tls ? createTlsServer(tls, answerAny) : createServer(answerAny);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const port = (await openDoor?.(own)) ?? own;
  const prefix = openDoor ? `/${randomUUID()}` : '';
  const host = tls ? `localhost:${port}` : `127.0.0.1:${port}`;
  const origin = `${tls ? 'https' : 'http'}://${host}`;
  const at: StatusHost['at'] = (path, answer) => {
    answers.set(`${prefix}${path}`, answer);
    return `${origin}${prefix}${path}`;
  };
  return {
    host,
    origin,
    calls,
    at,
    serve: (path, token) => {
      const body = token(`${origin}${prefix}${path}`);
      return at(path, (_request, response) => void response.writeHead(200, { 'content-type': MEDIA_TYPE }).end(body));
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
