import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { startRelay } from './relay';

const HOST = '127.0.0.1';

/** A server that says hello, behind a relay that passes everything on. */
async function open() {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket.on('error', () => undefined));
    socket.write('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const relay = await startRelay({ host: HOST, port: (server.address() as AddressInfo).port }, (near, far) => {
    near.pipe(far);
    far.pipe(near);
  });
  const ask = async () => {
    const client = connect({ host: HOST, port: relay.port }).on('error', () => undefined);
    const [hello] = (await once(client, 'data')) as [Buffer];
    expect(String(hello)).toBe('hello');
    return client;
  };
  return { accepted, relay, ask, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe('a relay', () => {
  it('ends a connection on one side when it has ended on the other', async () => {
    const { accepted, relay, ask, close } = await open();
    const [first, second] = [await ask(), await ask()];
    const ended = once(accepted[0] as Socket, 'close');
    first.destroy();
    await ended;
    const left = once(second, 'close');
    accepted[1]?.resetAndDestroy();
    await left;
    await relay.stop();
    await close();
  });

  it('ends all connections when it is stopped, and takes no more', async () => {
    const { accepted, relay, ask, close } = await open();
    const ends = [once(await ask(), 'close'), once(accepted[0] as Socket, 'close')];
    await relay.stop();
    await Promise.all(ends);
    const [refused] = (await once(connect({ host: HOST, port: relay.port }), 'error')) as [{ code: string }];
    expect(refused.code).toBe('ECONNREFUSED');
    await close();
  });
});
