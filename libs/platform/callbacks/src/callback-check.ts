import { isLoopback } from '@vestibule/foundation';
import { overdueFindings, type Rows } from '@vestibule/persistence';
import { finding, type Check, type Finding } from '@vestibule/process';
import { figuresSql, MOST_COUNTED } from './callback-metrics';
import type { CallbackTarget } from './callback-target';
import { callbackTargetOf, type CallbackConfiguration } from './callback-variables';
import { createReceiverConnector, findProxy } from './receiver-connector';

const LONG_SECONDS = 300;
const TLS_CODE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|ERR_OSSL|^egress_tls$/;
const PROXY_CODE = /^egress_proxy/;

/** Connects as a delivery would, and posts nothing. Resolves to the code of the failure. */
function tryToReach(
  { origin, hostname, host, protocol, port }: URL,
  target: CallbackTarget,
): Promise<string | undefined> {
  const connect = createReceiverConnector(target, origin);
  return new Promise((resolve) =>
    connect({ hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port }, (error, socket) => {
      socket?.destroy();
      const { code, name } = (error ?? {}) as NodeJS.ErrnoException;
      resolve(error ? (code ?? name) : undefined);
    }),
  );
}

async function receiverFindings(origin: string, target: CallbackTarget): Promise<readonly Finding[]> {
  const code = await tryToReach(new URL(origin), target);
  if (code === undefined) return [];
  if (PROXY_CODE.test(code)) return [finding('callback_proxy_failed', `${origin} (${code})`)];
  const known = TLS_CODE.test(code) ? 'callback_certificate_refused' : 'callback_unreachable';
  return [finding(known, `${origin} (${code})`)];
}

/** The receivers of callbacks: connection, TLS, and whether they can know who sends them. */
export const callbackCheck: Check<CallbackConfiguration> = {
  name: 'callbacks',
  async run({ configuration }) {
    const target = callbackTargetOf(configuration);
    const { url, keys = [], origins = [] } = target;
    const found: Finding[] = keys.length === 0 ? [finding('callback_unsigned', 'CALLBACK_SECRETS is not set')] : [];
    for (const receiver of new Set([new URL(url).origin, ...origins])) {
      const { protocol, hostname } = new URL(receiver);
      const isNear = isLoopback(new URL(receiver)) && findProxy(target, receiver) === undefined;
      if (protocol === 'http:' && !isNear) found.push(finding('callback_without_tls', `${protocol}//${hostname}`));
      found.push(...(await receiverFindings(receiver, target)));
    }
    return found;
  },
};

/** What waits in the outbox of a schema, and what was given up. */
async function outboxFindings(rows: Rows, schema: string): Promise<readonly Finding[]> {
  const [row] = await rows(figuresSql(schema));
  const [dead, seconds] = [Number(row?.['dead']), Number(row?.['oldestSeconds'])];
  return [
    ...(dead > 0 ? [finding('callbacks_dead', `${dead > MOST_COUNTED ? 'about ' : ''}${dead} dead letters`)] : []),
    ...(seconds > LONG_SECONDS
      ? [finding('callbacks_wait', `the oldest for ${Math.floor(seconds / 60)} minutes`)]
      : []),
  ];
}

/** What a schema with events for a backend says about its replicas: do they purge, and deliver? `overdue` as `overdueSql` has it. */
export const schemaFindings =
  (schema: string, overdue: string) =>
  async (rows: Rows, { retentionSeconds }: { readonly retentionSeconds: number }): Promise<readonly Finding[]> => {
    const [row] = await rows(overdue, [retentionSeconds]);
    return [...overdueFindings(Number(row?.['seconds'])), ...(await outboxFindings(rows, schema))];
  };
