import type { IncomingMessage } from 'node:http';
import { VERSION } from '@vestibule/foundation';
import { readObject, RouteFault, stringAt, type Answer } from './answer';
import type { CallbackLog } from './callback-log';
import { readCertificates, readTrust, readTypes } from './facts';
import type { Relay } from './management-relay';
import type { WalletRoutes } from './wallet-routes';

/** What the console knows about the stack of this machine. */
export interface LocalStack {
  readonly baseUrl: string;
  readonly issuerUrl: string;
  /** With certificates, trust file and types. */
  readonly configFolder: string;
  /** Where its own flows report to, if the stack reports elsewhere. */
  readonly callbackUrl?: string;
}

export interface RouteParts {
  readonly managementUrl: string;
  readonly relay: Relay;
  readonly callbacks: CallbackLog;
  readonly wallet: WalletRoutes;
  /** Absent: a remote installation, which the console only reads. */
  readonly local?: LocalStack;
}

const done = (body: unknown): Answer => ({ status: 200, body });

function about({ managementUrl, local, wallet }: RouteParts): Answer {
  return done({
    version: VERSION,
    managementUrl,
    mode: local ? 'local' : 'remote',
    ...(local
      ? {
          baseUrl: local.baseUrl,
          issuerUrl: local.issuerUrl,
          types: readTypes(local.configFolder),
          ...(local.callbackUrl === undefined ? {} : { callbackUrl: local.callbackUrl }),
        }
      : { types: [] }),
    cases: local ? wallet.cases : { present: [], redeem: [] },
  });
}

function facts({ local }: RouteParts): Answer {
  if (!local) return done({ certificates: [] });
  return done({ certificates: readCertificates(local.configFolder, new Date()), trust: readTrust(local.configFolder) });
}

async function present({ wallet }: RouteParts, request: IncomingMessage): Promise<Answer> {
  const body = await readObject(request);
  return done(await wallet.present(stringAt(body, 'case'), stringAt(body, 'uri')));
}

async function redeem({ wallet }: RouteParts, request: IncomingMessage): Promise<Answer> {
  const body = await readObject(request);
  const code = body['tx_code'];
  const txCode = typeof code === 'string' && code !== '' ? code : undefined;
  return done(await wallet.redeem(stringAt(body, 'case'), stringAt(body, 'uri'), txCode));
}

const MANAGEMENT = '/api/management';

async function passOn({ relay }: RouteParts, request: IncomingMessage): Promise<Answer> {
  const method = request.method ?? 'GET';
  const path = (request.url ?? '').slice(MANAGEMENT.length);
  return method === 'GET' ? relay({ method, path }) : relay({ method, path, body: await readObject(request) });
}

/** Answers a call of the page. Throws a {@link RouteFault}. */
export function answer(parts: RouteParts, request: IncomingMessage): Promise<Answer> | Answer {
  const url = new URL(request.url ?? '/', 'http://console');
  if (url.pathname.startsWith(`${MANAGEMENT}/`)) return passOn(parts, request);
  const call = `${request.method} ${url.pathname}`;
  switch (call) {
    case 'GET /api/about':
      return about(parts);
    case 'GET /api/facts':
      return facts(parts);
    case 'GET /api/callbacks':
      return done({ items: parts.callbacks.list(url.searchParams.get('subject') ?? undefined) });
    case 'GET /api/wallet':
      return done({ items: parts.wallet.credentials() });
  }
  if (!parts.local) throw new RouteFault(403, 'this console only reads');
  if (call === 'POST /api/wallet/present') return present(parts, request);
  if (call === 'POST /api/wallet/redeem') return redeem(parts, request);
  throw new RouteFault(404, 'the console has no such call');
}
