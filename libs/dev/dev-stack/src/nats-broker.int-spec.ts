import { startBroker } from './nats-broker';
import { RawNatsClient } from './testing/raw-nats-client';

const QUIET = { verbose: false, headers: true };

describe('the embedded broker', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'localhost'])('refuses to listen on %s', async (host) => {
    await expect(startBroker({ host: host as '127.0.0.1' })).rejects.toMatchObject({ code: 'broker_not_loopback' });
  });

  it('says so when its port is taken', async () => {
    const first = await startBroker();
    const port = Number(new URL(first.url).port);
    await expect(startBroker({ port })).rejects.toMatchObject({ code: 'broker_start_failed' });
    await first.stop();
  });

  it('cuts off a subscriber that does not read, and goes on serving the others', async () => {
    const broker = await startBroker({ maxPendingBytes: 4 * 1024 * 1024 });
    const lazy = await RawNatsClient.open(broker.url, QUIET);
    lazy.send('SUB a 1\r\n');
    await lazy.answers();
    lazy.pause();
    const busy = await RawNatsClient.open(broker.url, { ...QUIET, no_responders: true });
    const megabyte = `PUB a 1048576\r\n${'x'.repeat(1_048_576)}\r\n`;
    for (let count = 0; count < 24; count += 1) {
      busy.send(megabyte);
      await busy.answers();
    }
    busy.send('SUB in 1\r\nPUB a in 0\r\n\r\n');
    expect(await busy.answers()).toContain('NATS/1.0 503');
    lazy.close();
    busy.close();
    await broker.stop();
  });

  it('closes every connection when it stops, and its port is free again', async () => {
    const broker = await startBroker();
    const client = await RawNatsClient.open(broker.url, QUIET);
    await broker.stop();
    await client.waitUntilClosed();
    const again = await startBroker({ port: Number(new URL(broker.url).port) });
    await again.stop();
  });
});
