import { request, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FindApiKeys, type Contract } from '@vestibule/contracts';
import {
  DomainError,
  isJsonObject,
  VERSION,
  type ErrorKind,
  type JsonObject,
  type ErrorCode,
} from '@vestibule/foundation';
import { createLogger, createMetrics, currentActor, currentRequestId, loadConfiguration } from '@vestibule/process';
import type { z } from 'zod';
import type { Ask } from '../ask';
import { gatewayConfiguration } from '../config';
import { closeListener, Retirement } from '../http/retirement';
import { createManagementListener, createPublicListener, type GatewayOptions } from '../gateway';
import { UnservedWallets } from '../wallet/unserved-wallets';

/** What the services answer, by subject: the answer itself, or a function that returns or throws it. */
export type Answers = Readonly<Record<string, object | ((question: JsonObject) => unknown)>>;

/** A service that throws. */
export const failing =
  (kind: ErrorKind, code: ErrorCode, detail = 'a sentence') =>
  (): never => {
    throw new DomainError({ kind, code, detail });
  };

/** One request as a service received it. */
export interface Asked {
  readonly subject: string;
  readonly question: JsonObject;
  readonly requestId: string | undefined;
  readonly actor: string | undefined;
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, kind: 'invalid' | 'internal'): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const code = kind === 'invalid' ? 'invalid_message' : 'invalid_answer';
  throw new DomainError({ kind, code, detail: 'a message breaks its contract' });
}

/** By default, every API key belongs to a tenant. */
const EVERY_KEY: Answers = {
  [FindApiKeys.subject]: ({ apiKeyDigests }) => ({ known: apiKeyDigests }),
};

/**
 * A bus in memory: like the real one, it validates requests and answers against their contracts. Requests about keys,
 * which precede others, are recorded separately.
 */
function createBus(answers: Answers): { ask: Ask; asked: Asked[]; askedForKeys: JsonObject[] } {
  const asked: Asked[] = [];
  const askedForKeys: JsonObject[] = [];
  const ask = async <Question, Answer>(contract: Contract<Question, Answer>, question: Question): Promise<Answer> => {
    const asking = checked(contract.question, question, 'invalid') as JsonObject;
    if (contract.subject === FindApiKeys.subject) askedForKeys.push(asking);
    else {
      const [requestId, actor] = [currentRequestId(), currentActor()];
      asked.push({ subject: contract.subject, question: asking, requestId, actor });
    }
    const answer = answers[contract.subject];
    if (answer === undefined) {
      throw new DomainError({
        kind: 'unavailable',
        code: 'service_unavailable',
        detail: 'a service is unavailable',
      });
    }
    const value: unknown = typeof answer === 'function' ? await answer(asking) : answer;
    return checked(contract.answer, value, 'internal');
  };
  return { ask, asked, askedForKeys };
}

export interface Sent {
  readonly method?: string;
  /** Pairs of name and value; names may repeat. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** Omits Content-Length, so that the body is sent in chunks. */
  readonly chunked?: boolean;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as a JSON object; empty for anything else. */
  readonly json: JsonObject;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** One plain HTTP request: nothing is added, joined, followed or retried on the way. */
export function send(url: string, { method = 'GET', headers = [], body, chunked = false }: Sent = {}): Promise<Got> {
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host');
  const length = body === undefined || chunked ? [] : [['content-length', String(Buffer.byteLength(body))] as const];
  const host = hasHost ? [] : [['host', new URL(url).host] as const];
  const flat = [...host, ...headers, ...length].flat() as unknown as OutgoingHttpHeaders;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: flat, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const got = response.headers as Record<string, string | undefined>;
        resolve({ status: response.statusCode ?? 0, headers: got, text, json: parseObject(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The routes that Nest logs as mapped: `POST /oidc4vp`. */
function mappedRoutes(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const [, path, method] = /Mapped \{([^,]+), ([A-Z]+)\} route/.exec(line) ?? [];
    return path === undefined ? [] : [`${method} ${path}`];
  });
}

export interface StageOptions {
  readonly answers?: Answers;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: (() => Date) | undefined;
  /** Reports to services which wallets could not be served. */
  readonly reportsUnserved?: boolean;
}

const countConnections = (app: NestFastifyApplication): Promise<number> =>
  new Promise((resolve, reject) => {
    app.getHttpServer().getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const openOn = async (app: NestFastifyApplication): Promise<string> => {
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
};

/** Both listeners on free ports, over a bus that the test controls. */
export async function startGateway({ answers = {}, environment = {}, clock, reportsUnserved }: StageOptions = {}) {
  const { ask, asked, askedForKeys } = createBus({ ...EVERY_KEY, ...answers });
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'gateway', level: 'debug', destination });
  const configuration = loadConfiguration(gatewayConfiguration, {
    NATS_URL: 'nats://127.0.0.1:4222',
    BASE_URL: 'https://wallets.example',
    RATE_LIMIT_PER_MINUTE: '0',
    ...environment,
  });
  const metrics = createMetrics('gateway');
  const retirement = new Retirement();
  const unserved = reportsUnserved
    ? new UnservedWallets({ ask, logger, stopwatch: () => performance.now() })
    : undefined;
  const options: GatewayOptions = {
    configuration,
    version: VERSION,
    logger,
    ask,
    metrics,
    clock,
    retirement,
    unserved,
  };
  const management = await createManagementListener(options);
  const managementRoutes = () => mappedRoutes(lines.slice(0, before));
  const publicRoutes = () => mappedRoutes(lines.slice(before));
  await management.init();
  const before = lines.length;
  const wallets = await createPublicListener(options);
  const managementUrl = await openOn(management);
  const publicUrl = await openOn(wallets);
  return {
    asked,
    askedForKeys,
    lines,
    managementUrl,
    publicUrl,
    managementApp: management,
    retire: () => retirement.retire(),
    managementRoutes,
    publicRoutes,
    questionOf: (subject: string) => asked.filter((one) => one.subject === subject).at(-1)?.question,
    toManagement: (path: string, sent?: Sent) => send(`${managementUrl}${path}`, sent),
    toPublic: (path: string, sent?: Sent) => send(`${publicUrl}${path}`, sent),
    /** How many connections wallets have. */
    connections: () => countConnections(wallets),
    /** How many flows are waiting to be reported. */
    unserved: () => unserved?.waiting ?? 0,
    async close() {
      await Promise.all([closeListener(management), closeListener(wallets)]);
      await unserved?.close();
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

const JSON_TYPE = ['content-type', 'application/json'] as const;
const FORM_TYPE = ['content-type', 'application/x-www-form-urlencoded'] as const;

/** A POST of JSON. */
export const jsonPost = (body: unknown, ...headers: (readonly [string, string])[]): Sent => ({
  method: 'POST',
  headers: [JSON_TYPE, ...headers],
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A POST of a form. */
export const formPost = (body: string, ...headers: (readonly [string, string])[]): Sent => ({
  method: 'POST',
  headers: [FORM_TYPE, ...headers],
  body,
});
