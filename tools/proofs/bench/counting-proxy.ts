import type { Socket } from 'node:net';
import { startRelay } from '@vestibule/dev-stack';

/** Observes the bytes of one connection. */
export interface Tap {
  fromClient(chunk: Buffer): void;
  fromServer?(chunk: Buffer): void;
}

/** A proxy in front of a server that passes every byte to taps. */
export interface CountingProxy {
  /** The URL of the server, with the proxy's address. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Passes every byte on; a tap that cannot parse a connection ends it and reports to `onFault`. */
function join(near: Socket, far: Socket, tap: Tap, onFault: (error: unknown) => void): void {
  const hear = (listen: (chunk: Buffer) => void) => (chunk: Buffer) => {
    try {
      listen(chunk);
    } catch (error) {
      onFault(error);
      near.destroy();
    }
  };
  near.on(
    'data',
    hear((chunk) => tap.fromClient(chunk)),
  );
  far.on(
    'data',
    hear((chunk) => tap.fromServer?.(chunk)),
  );
  near.pipe(far);
  far.pipe(near);
}

/** Starts a proxy in front of the server of a URL, on a free loopback port. */
export async function startCountingProxy(
  serverUrl: string,
  createTap: () => Tap,
  onFault: (error: unknown) => void,
): Promise<CountingProxy> {
  const url = new URL(serverUrl);
  const relay = await startRelay({ host: url.hostname, port: Number(url.port) }, (near, far) =>
    join(near, far, createTap(), onFault),
  );
  url.host = `127.0.0.1:${relay.port}`;
  return { url: url.href.replace(/\/$/, ''), stop: () => relay.stop() };
}
