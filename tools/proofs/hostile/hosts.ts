import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server as NetServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';

/** Hosts on the loopback interface that a credential may refer to, good ones and bad ones. */
export interface Hosts {
  /** For EGRESS_DEVELOPMENT_HOSTS. */
  readonly developmentHosts: string;
  /** Serves what {@link Hosts.at} defines, by the first segment of the path. */
  readonly origin: string;
  /** They accept connections and never answer; the last one is slow in the TLS handshake, too. */
  readonly silentOrigins: readonly string[];
  /** Speaks TLS, with an unnecessarily long certificate chain. */
  readonly longChainOrigin: string;
  /** The same with the longest chain that is still verified. */
  readonly longestChainOrigin: string;
  at(segment: string, answer: RequestListener): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** As many as one answer can refer to. */
const SILENT_HOSTS = 64;
/** OpenSSL's default limits for a peer are 100 KiB of certificates, and a depth of 100. */
const LONG_CHAIN = 95;
/** As many as fit into the 16 KiB of a handshake. */
const LONGEST_CHAIN = 24;

async function listen(server: NetServer): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  return `${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}

/**
 * A leaf below a long chain of P-521 authorities: every signature has to be verified before the chain turns out to be
 * worthless.
 */
async function chainOf(length: number): Promise<{ cert: string; key: string }> {
  let authority = await createCertificateAuthority({ name: 'Line 0', now: new Date(), keyType: 'P-521' });
  const line: Uint8Array[] = [];
  for (let depth = 1; depth < length; depth += 1) {
    authority = await authority.issueAuthority({ name: `Line ${depth}`, keyType: 'P-521' });
    line.unshift(authority.certificate);
  }
  const leaf = await authority.issue({ name: 'localhost', dnsNames: ['localhost'] });
  return { cert: toPem([leaf.certificate, ...line]), key: toPem(leaf.privateKey) };
}

function silentServer(connections: Set<{ destroy(): unknown }>): NetServer {
  return createNetServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
  });
}

/** Starts them all. */
export async function startHosts(): Promise<Hosts> {
  const answers = new Map<string, RequestListener>();
  const server: Server = createServer((request, response) => {
    const answer = answers.get(request.url?.split('/')[1] ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  const connections = new Set<{ destroy(): unknown }>();
  const silent = Array.from({ length: SILENT_HOSTS }, () => silentServer(connections));
  const chains = await Promise.all([LONG_CHAIN, LONGEST_CHAIN].map(chainOf));
  const tls = chains.map((chain) => createTlsServer(chain, (socket) => void socket.end()));
  for (const one of tls) one.on('tlsClientError', () => undefined); // the client disconnects: that is the purpose
  const host = await listen(server);
  const silentHosts = await Promise.all(silent.map(listen));
  const [longHost = '', longestHost = ''] = await Promise.all(tls.map(listen));
  return {
    developmentHosts: [host, ...silentHosts, longHost, longestHost].join(','),
    origin: `http://${host}`,
    silentOrigins: silentHosts.map((name) => `http://${name}`),
    longChainOrigin: `https://${longHost}`,
    longestChainOrigin: `https://${longestHost}`,
    at: (segment, answer) => void answers.set(segment, answer),
    async stop() {
      for (const connection of connections) connection.destroy();
      server.closeAllConnections();
      await Promise.all([server, ...silent, ...tls].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}
