import { connect as connectPlain, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { ProcessingFailure } from '@vestibule/foundation';
import { sharedLookup } from '@vestibule/process';
import type { buildConnector } from 'undici';
import { createConnector, type LimitedConnector } from './connect';
import { egressFailure, type EgressFailureCode } from './failures';

/** An HTTP proxy that opens tunnels (RFC 9110 §9.3.6). */
interface Proxy {
  readonly host: string;
  readonly port: number;
  /** Is the proxy itself spoken to over TLS? */
  readonly isTls: boolean;
  /** The value of Proxy-Authorization. */
  readonly authorization: string | undefined;
}

/** How long the answer to a question for a tunnel may take, and whom proxies that speak TLS must be certified by. */
interface TunnelLimits {
  readonly timeoutMilliseconds: number;
  readonly proxyContext: SecureContext;
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
/** For the connection to the proxy itself, which is near: one lost packet may be sent again. */
const REACH_MILLISECONDS = 3_000;
const MAX_HEAD_BYTES = 8_192;
const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n/;

/** Reads `http://proxy.example:3128`, with or without a user and password. */
function parseProxy(text: string): Proxy {
  const { protocol, hostname, port, username, password } = new URL(text);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORTS[protocol]),
    isTls: protocol === 'https:',
    authorization: login === ':' ? undefined : `Basic ${Buffer.from(login, 'utf8').toString('base64')}`,
  };
}

function connectTo({ host, port, isTls }: Proxy, secureContext: SecureContext): Socket {
  const lookup = sharedLookup;
  if (!isTls) return connectPlain({ host, port, noDelay: true, lookup });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...servername, secureContext, lookup });
}

function questionFor(place: string, { authorization }: Proxy): string {
  const login = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${login}\r\n`;
}

/** What a complete head says; undefined if the tunnel is open. Bytes behind it were not asked for. */
function headFault(head: Buffer, end: number): EgressFailureCode | undefined {
  const [, status] = STATUS_LINE.exec(head.toString('latin1')) ?? [];
  if (status === undefined || status.startsWith('1')) return 'egress_proxy';
  if (status === '407') return 'egress_proxy_login';
  if (!status.startsWith('2')) return 'egress_proxy_refused';
  return end + HEAD_END.byteLength === head.byteLength ? undefined : 'egress_proxy';
}

/**
 * Hands over a connection in which the proxy has opened a tunnel, or the failure: once. Errors after that are heard here
 * too, for one without a listener would end the process; the new owner sees the end of the connection.
 */
function openTunnel(
  place: string,
  proxy: Proxy,
  { timeoutMilliseconds, proxyContext }: TunnelLimits,
  done: (failure: ProcessingFailure | undefined, socket: Socket) => void,
): void {
  const socket = connectTo(proxy, proxyContext);
  let head = Buffer.alloc(0);
  let isDone = false;
  const end = (code?: EgressFailureCode, cause?: unknown): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    socket.off('data', read).pause();
    if (code !== undefined) socket.destroy();
    done(code === undefined ? undefined : egressFailure(code, cause), socket);
  };
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const found = head.indexOf(HEAD_END);
    if (found !== -1) end(headFault(head, found));
    else if (head.byteLength > MAX_HEAD_BYTES) end('egress_proxy');
  };
  let timer = setTimeout(() => end('egress_proxy'), Math.min(timeoutMilliseconds, REACH_MILLISECONDS));
  socket.once(proxy.isTls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    // A proxy that was asked and is silent most likely waits for the host.
    timer = setTimeout(() => end('egress_timeout'), timeoutMilliseconds);
    socket.write(questionFor(place, proxy));
  });
  socket.on('data', read);
  socket.on('error', (error) => end('egress_proxy', error));
  socket.on('close', () => end('egress_proxy'));
}

/**
 * Connects to a host through a proxy, which also resolves its name. The URL of the request has been checked; what
 * addresses its name has is known to the proxy alone.
 */
function createTunnels(proxy: Proxy, limits: TunnelLimits): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
    const place = `${host}:${port || PORTS[protocol]}`;
    openTunnel(place, proxy, limits, (failure, socket) => {
      if (failure) callback(failure, null);
      else callback(null, socket);
    });
  };
}

interface ProxyOptions extends TunnelLimits {
  /** Whom hosts must be certified by. */
  readonly hostContext: SecureContext;
}

/**
 * Connects through an HTTP proxy (its URL, which may name a user and password). TLS is with the host, from end to end.
 * Fails with `egress_proxy`, `egress_proxy_login`, `egress_proxy_refused`, `egress_timeout` or an error of TLS.
 */
export function createProxyConnector(url: string, options: ProxyOptions): LimitedConnector {
  const { timeoutMilliseconds, hostContext: secureContext } = options;
  const toHost = createTunnels(parseProxy(url), options);
  return createConnector({ toHost, timeoutMilliseconds, secureContext });
}
