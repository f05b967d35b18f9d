import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { BUS_SUBJECTS, contract } from '@vestibule/contracts';
import { loadConfiguration, natsVariables } from '@vestibule/process';
import { z } from 'zod';
import { createAsker, type Asker } from './asker';
import { busCheck } from './bus-check';
import { logger, natsUrl, startService, uniqueSubject, until } from './bus.stage';

jest.setTimeout(120_000);

const NATS_CONFIGURATION = path.resolve(__dirname, '../../../../deploy/nats.conf');
const echo = contract(uniqueSubject(), z.object({ text: z.string() }), z.object({ text: z.string() }), 3_000);

describe('the check of the bus', () => {
  let asker: Asker;
  let service: Awaited<ReturnType<typeof startService>>;
  beforeAll(async () => {
    service = await startService((server) => server.answer(echo, ({ text }) => ({ text })));
    asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
  });
  afterAll(async () => {
    await asker.close();
    await service.app.close();
  });

  const examine = () => {
    const configuration = loadConfiguration(natsVariables, { NATS_URL: natsUrl });
    const use = { name: 'verifier', answered: [echo.subject], asked: [echo.subject] };
    return busCheck(use).run({ configuration, logger, clock: () => new Date() });
  };

  it('loses no question that comes while it joins the queue of a running service', async () => {
    let examining = true;
    const outcomes = new Map<string, number>();
    const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const asking = Array.from({ length: 4 }, async () => {
      while (examining)
        await asker.ask(echo, { text: 'x' }).then(
          () => note('answered'),
          ({ code }: { readonly code: string }) => note(code),
        );
    });
    for (let round = 0; round < 20; round += 1) expect(await examine()).toEqual([]);
    examining = false;
    await Promise.all(asking);
    expect(outcomes.get('answered')).toBeGreaterThan(100);
    expect([...outcomes.keys()].filter((outcome) => !['answered', 'service_unavailable'].includes(outcome))).toEqual(
      [],
    );
  });

  it('tries exactly the subjects of deploy/nats.conf', () => {
    const configuration = readFileSync(NATS_CONFIGURATION, 'utf8');
    const quoted = [...configuration.matchAll(/^ +"([a-z-]+\.[a-z-]+\.[a-z-]+)(?: ([a-z-]+))?"$/gm)];
    const asked = quoted.flatMap(([, subject, queue]) => (queue === undefined ? [subject] : []));
    expect(asked.sort()).toEqual(Object.values(BUS_SUBJECTS).flat().sort());
    for (const [name, subjects] of Object.entries(BUS_SUBJECTS)) {
      const answered = quoted.flatMap(([, subject, queue]) => (queue === name ? [subject] : []));
      expect(answered.sort()).toEqual([...subjects].sort());
    }
  });
});

describe('a server that hangs as soon as somebody is connected', () => {
  it('does not keep the check of the bus', async () => {
    const info = { server_id: 'x', version: '2.10.0', max_payload: 4_000_000, headers: true };
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).write(`INFO ${JSON.stringify(info)}\r\n`);
      socket.once('data', () => socket.write('PONG\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const configuration = loadConfiguration(natsVariables, { NATS_URL: `nats://127.0.0.1:${port}` });
    const check = busCheck({ name: 'verifier', answered: [echo.subject], asked: [] });
    await expect(check.run({ configuration, logger, clock: () => new Date() })).rejects.toThrow('disconnected');
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});
