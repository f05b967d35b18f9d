import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { createAsker } from './asker';
import { logger, natsUrl, openWire, startService, uniqueSubject, until } from './bus.stage';

jest.setTimeout(180_000);

/** What the verifier takes at most for a response. */
const JUDGEMENT_MILLISECONDS = 12_000;
const question = z.object({ number: z.number() });

describe('closing a service under load', () => {
  it('loses no request: what arrived is answered, the rest goes to the other replica', async () => {
    const slow = contract(uniqueSubject(), question, question);
    const served = [0, 0];
    let close: () => void = () => undefined;
    /** What the first replica has from its twentieth request on, it has not answered when it begins to close. */
    const closing = new Promise<void>((resolve) => (close = resolve));
    const replica = (index: 0 | 1) =>
      startService((server) =>
        server.answer(slow, async ({ number }) => {
          served[index] = (served[index] ?? 0) + 1;
          if (index === 0 && (served[0] ?? 0) >= 20) await closing;
          return { number };
        }),
      );
    const [first, second] = await Promise.all([replica(0), replica(1)]);
    const asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());

    let stop = false;
    let asked = 0;
    const failures: unknown[] = [];
    const worker = async (): Promise<void> => {
      while (!stop) {
        asked += 1;
        await asker.ask(slow, { number: asked }).catch((error: unknown) => failures.push(error));
      }
    };
    const load = Promise.all(Array.from({ length: 20 }, worker));
    const hasServed = (index: 0 | 1, count: number) => () => (served[index] ?? 0) >= count;
    await until(hasServed(0, 25));
    const closed = first.app.close();
    close();
    await closed;
    const afterClose = served[0];
    await until(hasServed(1, (served[1] ?? 0) + 100));
    stop = true;
    await load;

    expect(failures).toEqual([]);
    expect(served[0]).toBe(afterClose);
    await asker.close();
    await second.app.close();
  });

  it('waits for a question that takes as long as judging the response of a wallet may', async () => {
    const judging = contract(uniqueSubject(), question, question, 30_000);
    let arrived = false;
    const { app } = await startService((server) =>
      server.answer(judging, async ({ number }) => {
        arrived = true;
        await new Promise((resolve) => setTimeout(resolve, JUDGEMENT_MILLISECONDS));
        return { number };
      }),
    );
    const asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
    const asked = asker.ask(judging, { number: 7 });
    await until(() => arrived);
    await app.close();
    await expect(asked).resolves.toEqual({ number: 7 });
    await asker.close();
  });

  it('is bounded: a handler that never ends does not keep the process', async () => {
    const endless = contract(uniqueSubject(), question, question, 300);
    let arrived = false;
    const { app } = await startService(
      (server) =>
        server.answer(endless, () => {
          arrived = true;
          return new Promise(() => undefined);
        }),
      { drainMilliseconds: 200 },
    );
    const asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
    const asked = expect(asker.ask(endless, { number: 1 })).rejects.toMatchObject({ code: 'service_timeout' });
    await until(() => arrived);
    // Timers of a process fire in the order of their times; without the option it would be fifteen.
    const late = AbortSignal.timeout(9_000);
    await app.close();
    expect(late.aborted).toBe(false);
    await asked;
    await asker.close();
  });
});

describe('an outage of the broker', () => {
  it('makes questions service_unavailable at once, and both sides come back by themselves', async () => {
    const echo = contract(uniqueSubject(), question, question, 30_000);
    const wire = await openWire();
    const { app, server } = await startService((one) => one.answer(echo, ({ number }) => ({ number })), {
      servers: [wire.url],
    });
    const asker = createAsker({ servers: [wire.url], name: 'asker', logger });
    await until(() => asker.isConnected());
    await expect(asker.ask(echo, { number: 1 })).resolves.toEqual({ number: 1 });

    wire.cut();
    await until(() => !asker.isConnected() && !server.isConnected());
    // They wait for nothing, not even for the shortest timer: the broker is known to be away.
    for (let number = 2; number < 7; number += 1) {
      let isLate = false;
      const timer = setImmediate(() => setImmediate(() => (isLate = true)));
      await expect(asker.ask(echo, { number })).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(isLate).toBe(false);
      clearImmediate(timer);
    }

    wire.mend();
    // How long the waits between two tries may be is tested where they are chosen (connect.spec).
    await until(() => asker.isConnected() && server.isConnected());
    await expect(asker.ask(echo, { number: 3 })).resolves.toEqual({ number: 3 });
    await asker.close();
    await app.close();
    await wire.close();
  });

  it('at start is waited for by both sides, and ends with closing', async () => {
    const echo = contract(uniqueSubject(), question, question, 30_000);
    const wire = await openWire();
    wire.cut();
    const asker = createAsker({ servers: [wire.url], name: 'asker', logger });
    const abandoned = createAsker({ servers: ['nats://127.0.0.1:9'], name: 'abandoned', logger });
    await expect(asker.ask(echo, { number: 1 })).rejects.toMatchObject({ code: 'service_unavailable' });
    const starting = startService((one) => one.answer(echo, ({ number }) => ({ number })), { servers: [wire.url] });
    // Both have tried, and try again.
    await until(() => wire.refused() >= 4);
    wire.mend();
    const { app } = await starting;
    await until(() => asker.isConnected());
    await expect(asker.ask(echo, { number: 1 })).resolves.toEqual({ number: 1 });
    await abandoned.close();
    await asker.close();
    await app.close();
    await wire.close();
  });
});
