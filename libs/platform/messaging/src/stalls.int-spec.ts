import { Socket } from 'node:net';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { type Asker, createAsker } from './asker';
import { logger, natsUrl, uniqueSubject, until } from './bus.stage';
import { connectToNats, followStatus } from './connect';
import { Heartbeat } from './heartbeat';
import { probeNats } from './probe';
import { natsBinary, openServerRoom, type ServerRoom } from './testing/bus-servers.fixture-spec';

jest.setTimeout(180_000);

const text = z.object({ text: z.string() });
const saying = (answer: string) => JSON.stringify({ response: { ok: true, answer: { text: answer } } });

/** The event loop stands still; what arrives waits in the sockets. */
function stall(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('a server that answers while a process stalls', () => {
  it('is not taken for a silent one', async () => {
    const probed = probeNats(natsUrl, 300);
    setImmediate(() => stall(1_000));
    await expect(probed).resolves.toBe('plain');
  });
});

describe('a question to a process that stalls', () => {
  let service: NatsConnection;
  let asker: Asker;
  let questions = 0;

  beforeAll(async () => {
    service = await connect({ servers: natsUrl });
    asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
  });
  afterAll(async () => {
    await asker.close();
    await service.close();
  });
  beforeEach(() => void (questions = 0));

  /** Answers, and stalls when the answer is on its way: it is in the socket when the timers of the question fire. */
  async function answerAndStall(subject: string, milliseconds: number): Promise<void> {
    service.subscribe(subject, {
      callback: (_error, message) => {
        questions += 1;
        message.respond(saying('in time'));
        if (questions === 1) queueMicrotask(() => queueMicrotask(() => setImmediate(() => stall(milliseconds))));
      },
    });
    await service.flush();
  }

  it('has the answer that arrived in time, though its time was over before anybody could read it', async () => {
    const hasty = contract(uniqueSubject(), text, text, 300);
    await answerAndStall(hasty.subject, 1_000);
    await expect(asker.ask(hasty, { text: 'x' })).resolves.toEqual({ text: 'in time' });
  });

  it('is not asked once more while its answer waits to be read', async () => {
    const reading = contract('issuer.offer-object.get', text, text, 5_000);
    await answerAndStall(reading.subject, 1_500);
    await expect(asker.ask(reading, { text: 'x' })).resolves.toEqual({ text: 'in time' });
    // The same way, so after everything that was sent before.
    await asker.ask(reading, { text: 'y' });
    expect(questions).toBe(2);
  });

  it('is late if there is no answer', async () => {
    const mute = contract(uniqueSubject(), text, text, 300);
    service.subscribe(mute.subject, { callback: () => stall(1_000) });
    await service.flush();
    await expect(asker.ask(mute, { text: 'x' })).rejects.toMatchObject({ code: 'service_timeout' });
  });
});

(natsBinary === undefined ? describe.skip : describe)('a connection of a slow process', () => {
  let room: ServerRoom;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    room = await openServerRoom();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => room.close());

  async function open(configuration: string) {
    const { port } = await room.start(configuration);
    const servers = [`nats://127.0.0.1:${port}`];
    const opened = await connectToNats({ servers, name: 'test', logger }, new AbortController().signal);
    if (!opened) throw new Error('aborted');
    const changes: boolean[] = [];
    void followStatus(opened, { logger, name: 'test' }, (isUp) => void changes.push(isUp));
    closers.push(() => opened.connection.close());
    return { connection: opened.connection, servers, changes };
  }

  it('stays while one turn of the event loop takes long and sends something now and then', async () => {
    const write = jest.spyOn(Socket.prototype, 'write');
    const { connection, changes } = await open('ping_interval: "300ms"\nping_max: 2\n');
    // Without having measured it once, the server insists on an answer.
    await until(() => write.mock.calls.some(([bytes]) => Buffer.from(bytes).toString() === 'PONG\r\n'));
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      connection.publish('a.b.sign', 'x');
      // It leaves the client library, but the turn goes on.
      await Promise.resolve();
      stall(20);
    }
    await connection.flush();
    expect(changes).toEqual([]);
  });

  it('stays while a backlog is read, behind which the answers to its pings wait', async () => {
    const { connection, servers, changes } = await open('');
    let read = 0;
    connection.subscribe('a.b.backlog', {
      callback: () => {
        read += 1;
        stall(1);
      },
    });
    await connection.flush();
    const heartbeat = new Heartbeat(connection, 50, 2);
    heartbeat.start();
    const publisher = await connect({ servers });
    closers.push(() => publisher.close());
    const message = Buffer.alloc(4_096);
    for (let count = 0; count < 2_000; count += 1) publisher.publish('a.b.backlog', message);
    await until(() => read === 2_000);
    await connection.flush();
    expect(changes).toEqual([]);
    heartbeat.stop();
  });
});
