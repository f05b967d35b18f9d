import { RouteFault, type Answer } from './answer';

/** How to reach a management listener. */
export interface ManagementAddress {
  readonly url: string;
  /** A bearer key, if it demands one. */
  readonly key?: string;
}

const ID = '[A-Za-z0-9_-]{1,128}';
const QUERY = '(?:\\?[A-Za-z0-9_=&:.%-]{0,512})?';

/** What the page may ask for anywhere: nothing of it changes anything. */
const READING = [
  `/oidc4vp${QUERY}`,
  `/oidc4vp/${ID}${QUERY}`,
  `/offers${QUERY}`,
  `/offers/${ID}${QUERY}`,
  '/callbacks/keys',
  `/callbacks/(?:verifier|issuer)${QUERY}`,
  '/health/ready',
].map((path) => `GET ${path}`);

/** What it may also do with the stack of this machine. */
const CHANGING = [
  'POST /oidc4vp',
  `DELETE /oidc4vp/${ID}`,
  'POST /offers',
  `DELETE /offers/${ID}`,
  `PATCH /offers/${ID}/status`,
  'POST /callbacks/(?:verifier|issuer)/retry',
  `POST /callbacks/(?:verifier|issuer)/${ID}/(?:retry|replay)`,
];

const TIMEOUT_MILLISECONDS = 40_000;

async function parseText(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RouteFault(502, 'the management listener did not answer with JSON');
  }
}

/** One call that the page asks for. */
export interface RelayedCall {
  readonly method: string;
  /** Path and query on the management listener. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Passes on what is listed, and nothing else. */
export function createRelay({ url, key }: ManagementAddress, readOnly: boolean) {
  const allowed = (readOnly ? READING : [...READING, ...CHANGING]).map((rule) => new RegExp(`^${rule}$`));
  return async function relay({ method, path, body }: RelayedCall): Promise<Answer> {
    if (!allowed.some((rule) => rule.test(`${method} ${path}`))) {
      throw new RouteFault(readOnly ? 403 : 404, readOnly ? 'this console only reads' : 'the console has no such call');
    }
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    };
    const init = { method, headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) } as const;
    const sent = fetch(`${url}${path}`, method === 'GET' ? init : { ...init, body: JSON.stringify(body ?? {}) });
    const response = await sent.catch(() => {
      throw new RouteFault(502, 'the management listener cannot be reached');
    });
    const next = /<[^>]*[?&]cursor=([^>&]*)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    const parsed = await parseText(response);
    const isList = Array.isArray(parsed);
    return { status: response.status, body: isList ? { items: parsed, ...(next ? { next } : {}) } : parsed };
  };
}

export type Relay = ReturnType<typeof createRelay>;
