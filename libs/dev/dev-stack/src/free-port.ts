import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { StackFailure } from './stack-failure';

const LOOPBACK = '127.0.0.1';

/** Listens briefly on `port` (0: any) of `host`; returns the port number, or undefined if it is taken or forbidden. */
function tryToListen(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen({ port, host, exclusive: true }, () => {
      const address = probe.address();
      const found = typeof address === 'object' && address ? address.port : undefined;
      probe.close(() => resolve(found));
    });
  });
}

/** True if anything on this machine accepts connections on the port, at any address. */
function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.setTimeout(1000, () => end(true));
  });
}

// Below the ports that systems use for outgoing connections (32768 on Linux, 49152 elsewhere), so that a connection
// opened between this check and the use of the port does not take it.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** A port of `host` that is free now. Another server may take it before it is used. */
export async function findFreePort(host = LOOPBACK): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = await tryToListen(randomInt(FIRST_PORT, LAST_PORT), host);
    if (port !== undefined) return port;
  }
  const port = await tryToListen(0, host);
  if (port === undefined) throw new StackFailure('no_free_port', `no port of ${host} is free`);
  return port;
}

/** True if `port` of `host` can be listened on and nothing answers on the loopback address either. */
export async function isFreePort(port: number, host = LOOPBACK): Promise<boolean> {
  return !(await isAnswering(port)) && (await tryToListen(port, host)) === port;
}

/**
 * The usual port if it is free, else any; one that was asked for must be free. 0: any.
 * @throws StackFailure `port_taken`
 */
export async function choosePort(usual: number, wanted: number | undefined, findPort = findFreePort): Promise<number> {
  if (wanted === undefined) return (await isFreePort(usual)) ? usual : findPort();
  if (wanted === 0) return findPort();
  if (await isFreePort(wanted)) return wanted;
  throw new StackFailure('port_taken', `port ${wanted} is taken: choose another one, or 0 for any`);
}
