import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isLoopback } from '@vestibule/foundation';
import type { Rows } from '@vestibule/persistence';
import { finding, type Check, type Finding } from '@vestibule/process';
import { figuresSql } from './callback-metrics';
import { callbackTable } from './callback-table';
import { callbackTargetOf, type CallbackConfiguration } from './callback-variables';

const CONNECT_MILLISECONDS = 5_000;
const LONG_SECONDS = 300;
const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };
const TLS_CODE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|ERR_OSSL/;

function open(url: URL, ca: string | undefined): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || PORTS[url.protocol]);
  if (url.protocol === 'http:') return connectPlain({ host, port });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...servername, ...(ca === undefined ? {} : { ca }) });
}

/** Connects as a delivery would, and posts nothing. Resolves to the code of the failure. */
function tryToReach(url: URL, ca: string | undefined): Promise<string | undefined> {
  const opened = url.protocol === 'http:' ? 'connect' : 'secureConnect';
  return new Promise((resolve) => {
    const socket = open(url, ca);
    const end = (code: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(code);
    };
    const timer = setTimeout(() => end('ETIMEDOUT'), CONNECT_MILLISECONDS);
    socket.once(opened, () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.name));
  });
}

async function receiverFindings(text: string, ca: string | undefined): Promise<readonly Finding[]> {
  const url = new URL(text);
  const code = await tryToReach(url, ca);
  if (code === undefined) return [];
  const known = TLS_CODE.test(code) ? 'callback_certificate_refused' : 'callback_unreachable';
  return [finding(known, `${url.origin} (${code})`)];
}

/** The receivers of callbacks: connection, TLS, and whether they can know who sends them. */
export const callbackCheck: Check<CallbackConfiguration> = {
  name: 'callbacks',
  async run({ configuration }) {
    const { url, keys = [], origins = [], authorities } = callbackTargetOf(configuration);
    const found: Finding[] = keys.length === 0 ? [finding('callback_unsigned', 'CALLBACK_SECRETS is not set')] : [];
    for (const receiver of new Set([new URL(url).origin, ...origins])) {
      const { protocol, hostname } = new URL(receiver);
      if (protocol === 'http:' && !isLoopback(new URL(receiver)))
        found.push(finding('callback_without_tls', `${protocol}//${hostname}`));
      found.push(...(await receiverFindings(receiver, authorities)));
    }
    return found;
  },
};

/** What waits in the outbox of a schema, and what was given up. */
export async function outboxFindings(rows: Rows, schema: string): Promise<readonly Finding[]> {
  const [row] = await rows(figuresSql(callbackTable(schema)));
  const [dead, seconds] = [Number(row?.['dead']), Number(row?.['oldestSeconds'])];
  return [
    ...(dead > 0 ? [finding('callbacks_dead', `${dead} dead letters`)] : []),
    ...(seconds > LONG_SECONDS
      ? [finding('callbacks_wait', `the oldest for ${Math.floor(seconds / 60)} minutes`)]
      : []),
  ];
}
