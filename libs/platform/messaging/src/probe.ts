import { connect } from 'node:net';
import { onceRead } from '@vestibule/process';

/** `with_tls` and `plain` speak NATS; `silent` sent no INFO in time, or could not be reached. */
export type Probed = 'with_tls' | 'plain' | 'silent';

const MAX_INFO_BYTES = 65_536;
const DEFAULT_PORT = 4222;
const INFO = /^INFO (\{[^\r\n]*\})\s*\r\n/i;

interface Info {
  readonly tls_required?: unknown;
  readonly tls_available?: unknown;
}

function judge(text: string): Probed | undefined {
  const json = INFO.exec(text)?.[1];
  if (json === undefined) return text.length > MAX_INFO_BYTES || text.includes('\r\n') ? 'silent' : undefined;
  try {
    const info = JSON.parse(json) as Info;
    return info.tls_required === true || info.tls_available === true ? 'with_tls' : 'plain';
  } catch {
    return 'silent';
  }
}

/**
 * Reads the INFO that a NATS server sends first. The client library leaks a connection for each attempt to reach a
 * silent server, and gives no reason that a program could distinguish.
 */
export function probeNats(server: string, milliseconds: number): Promise<Probed> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) });
    const end = (probed: Probed): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(probed);
    };
    const read = (): number => socket.bytesRead;
    const timer = setTimeout(() => onceRead(read, () => end('silent')), milliseconds);
    socket.on('error', () => end('silent'));
    socket.on('close', () => end('silent'));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const probed = judge(text);
      if (probed) end(probed);
    });
  });
}
