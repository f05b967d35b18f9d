import { connect as openSocket, createServer, type AddressInfo } from 'node:net';
import { loadConfiguration, natsVariables } from '@vestibule/process';
import { logger } from './bus.stage';
import { natsBinary, openServerRoom, type ServerRoom } from './testing/bus-servers.fixture-spec';
import { connectToNats } from './connect';
import { readNatsAccess } from './nats-access';

jest.setTimeout(180_000);

const withServer = natsBinary === undefined ? describe.skip : describe;
const QUESTION = '{"forged":true}';

withServer('somebody between a process and NATS', () => {
  let room: ServerRoom;
  const closers: (() => void)[] = [];

  beforeAll(async () => {
    room = await openServerRoom();
  });
  afterEach(() => {
    for (const close of closers.splice(0).reverse()) close();
  });
  afterAll(() => room.close());

  /** Hands everything on, but writes `appended` after INFO of the connections for which `isForged` says so. */
  async function stand(port: number, appended: string, isForged: (count: number) => boolean) {
    const cuts: (() => void)[] = [];
    let count = 0;
    const server = createServer((client) => {
      const nats = openSocket(port, '127.0.0.1');
      count += 1;
      let suffix = isForged(count) ? Buffer.from(appended) : Buffer.alloc(0);
      nats.on('data', (bytes) => {
        client.write(Buffer.concat([bytes, suffix]));
        suffix = Buffer.alloc(0);
      });
      client.on('data', (bytes) => nats.write(bytes));
      const cut = (): void => {
        client.destroy();
        nats.destroy();
      };
      for (const socket of [client, nats]) socket.on('error', cut).on('close', cut);
      cuts.push(cut);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const cut = (): void => cuts.splice(0).forEach((one) => one());
    closers.push(() => {
      cut();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, cut, connections: () => count };
  }

  it.each([
    ['a question', `MSG question 1 answer ${QUESTION.length}\r\n${QUESTION}\r\n`],
    ['a question after another INFO', `INFO {"max_payload":1}\r\nMSG question 1 ${QUESTION.length}\r\n${QUESTION}\r\n`],
    ['half a line', 'MSG question 1 '],
    ['the answer to a ping', 'PONG\r\n'],
  ])('cannot forge %s before the TLS handshake', async (_, appended) => {
    const { port } = await room.start(await room.tls());
    const between = await stand(port, appended, (count) => count === 3 || count === 4);
    const abort = new AbortController();
    closers.push(() => abort.abort());
    const environment = { NATS_URL: `tls://localhost:${between.port}`, NATS_CA_FILE: room.caFile };
    const access = readNatsAccess(loadConfiguration(natsVariables, environment));
    // The first connection only reads what the server says of itself.
    const opened = await connectToNats({ ...access, name: 'test', logger }, abort.signal);
    if (!opened) throw new Error('aborted');
    const { connection } = opened;
    closers.push(() => void connection.close());
    const heard: string[] = [];
    connection.subscribe('question', {
      callback: (error, message) => void heard.push(error?.message ?? message.string()),
    });
    await connection.flush();
    const again = (async () => {
      for await (const { type } of connection.status()) if (type === 'reconnect') return between.connections();
      return 'closed';
    })();
    between.cut();
    await expect(again).resolves.toBe(5);
    connection.publish('question', 'real');
    await connection.flush();
    expect(heard).toEqual(['real']);
  });
});
