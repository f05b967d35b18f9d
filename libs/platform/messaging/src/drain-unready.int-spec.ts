import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { createAsker } from './asker';
import { logger, natsUrl, openWire, startService, uniqueSubject, until } from './bus.stage';
import { readNatsAccess } from './nats-access';
import { loadConfiguration, natsVariables } from '@vestibule/process';
import { natsBinary, openServerRoom, type ServerRoom } from './testing/bus-servers.fixture-spec';

jest.setTimeout(180_000);

const number = z.object({ number: z.number() });

/** A handler that waits until it is let go. */
function held() {
  let arrived = 0;
  let finished = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const handler = async (asked: z.output<typeof number>) => {
    arrived += 1;
    await released;
    finished += 1;
    return asked;
  };
  return { handler, release, arrived: () => arrived, finished: () => finished };
}

describe('closing a service that is not ready', () => {
  let room: ServerRoom;
  beforeAll(async () => {
    room = await openServerRoom();
  });
  afterAll(() => room.close());

  (natsBinary === undefined ? it.skip : it)(
    'because NATS refuses one of its subscriptions: questions for the others are answered',
    async () => {
      const asked = contract(uniqueSubject(), number, number, 30_000);
      const refused = contract(uniqueSubject(), number, number);
      const { port } = await room.start(`authorization { users: [
        { user: "service", password: "x", permissions: { publish: ">", subscribe: "${asked.subject}" } }
        { user: "asker", password: "x" }
      ] }`);
      const access = (user: string) =>
        readNatsAccess(loadConfiguration(natsVariables, { NATS_URL: `nats://${user}:x@127.0.0.1:${port}` }));
      const { handler, release, arrived } = held();
      const { app, server } = await startService(
        (one) => one.answer(asked, handler).answer(refused, (given) => given),
        access('service'),
      );
      const asker = createAsker({ ...access('asker'), name: 'asker', logger });
      await until(() => asker.isConnected() && !server.isConnected());
      const answer = asker.ask(asked, { number: 7 });
      await until(() => arrived() === 1);
      const closed = app.close();
      release();
      await expect(answer).resolves.toEqual({ number: 7 });
      await closed;
      await asker.close();
    },
  );

  it('because NATS is away: what it has begun is finished first, and answered if NATS is back by then', async () => {
    const asked = contract(uniqueSubject(), number, number, 60_000);
    const wire = await openWire();
    const { handler, release, arrived, finished } = held();
    const { app, server } = await startService((one) => one.answer(asked, handler), { servers: [wire.url] });
    const asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
    const answer = asker.ask(asked, { number: 7 });
    await until(() => arrived() === 1);
    wire.cut();
    await until(() => !server.isConnected());
    let isClosed = false;
    const closed = app.close().then(() => (isClosed = true));
    const tries = wire.refused();
    await until(() => wire.refused() > tries);
    expect(isClosed).toBe(false);
    const before = wire.sent().length;
    wire.mend();
    await until(() => wire.sent().slice(before).includes('PING'));
    release();
    await closed;
    expect(finished()).toBe(1);
    await expect(answer).resolves.toEqual({ number: 7 });
    await asker.close();
    await wire.close();
  });
});
