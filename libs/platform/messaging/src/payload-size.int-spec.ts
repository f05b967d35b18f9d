import { contract, MAX_PAYLOAD_BYTES } from '@vestibule/contracts';
import { startBroker, startTcpProxy } from '@vestibule/dev-stack';
import { z } from 'zod';
import { createAsker } from './asker';
import { lines, logger, startService, uniqueSubject, until } from './bus.stage';

jest.setTimeout(120_000);

const text = z.object({ text: z.string() });
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
beforeEach(() => void lines.splice(0));

async function brokerFor(maxPayloadBytes: number): Promise<string> {
  const broker = await startBroker({ maxPayloadBytes });
  closers.push(() => broker.stop());
  return broker.url;
}

const portOf = (url: string) => Number(new URL(url).port);
const needs = { payloadBytes: MAX_PAYLOAD_BYTES };
const refusal = {
  code: 'nats_payload_too_small',
  detail: expect.stringMatching(/^max_payload .* NATS_URL is 1999999: set it to at least 2000000 /) as string,
};

describe('a server that takes smaller messages than there may be', () => {
  it('ends the start of a service, and of the gateway, with what to set', async () => {
    const servers = [await brokerFor(MAX_PAYLOAD_BYTES - 1)];
    const echo = contract(uniqueSubject(), text, text);
    await expect(startService((one) => one.answer(echo, (q) => q), { servers, ...needs })).rejects.toMatchObject(
      refusal,
    );
    const refused = await new Promise((resolve) => {
      const asker = createAsker({ servers, name: 'asker', logger, onRefused: resolve, ...needs });
      closers.push(() => asker.close());
    });
    expect(refused).toMatchObject(refusal);
  });

  it('is fine where it takes just enough', async () => {
    const servers = [await brokerFor(MAX_PAYLOAD_BYTES)];
    const echo = contract(uniqueSubject(), text, text);
    const { app, server } = await startService((one) => one.answer(echo, (q) => q), { servers, ...needs });
    closers.push(() => app.close());
    const asker = createAsker({ servers, name: 'asker', logger, ...needs });
    closers.push(() => asker.close());
    await until(() => asker.isConnected());
    expect(server.isConnected()).toBe(true);
  });

  it('is an error in the log and makes both sides not ready where it comes after a reconnect, until a better one does', async () => {
    const [large, small] = [await brokerFor(MAX_PAYLOAD_BYTES), await brokerFor(MAX_PAYLOAD_BYTES - 1)];
    const proxy = await startTcpProxy(portOf(large));
    closers.push(() => proxy.stop());
    const servers = [`nats://127.0.0.1:${proxy.port}`];
    const echo = contract(uniqueSubject(), text, text);
    const { app, server } = await startService((one) => one.answer(echo, (q) => q), { servers, ...needs });
    closers.push(() => app.close());
    const asker = createAsker({ servers, name: 'asker', logger, ...needs });
    closers.push(() => asker.close());
    await until(() => asker.isConnected() && server.isConnected());
    proxy.redirect(portOf(small));
    proxy.cut();
    const complaints = () =>
      lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => level === 'error');
    await until(() => complaints().length >= 2);
    const sentence = 'this NATS server takes too small messages: the process is not ready';
    expect(complaints().map(({ msg, detail }) => ({ msg, detail }))).toEqual([
      { msg: sentence, detail: refusal.detail },
      { msg: sentence, detail: refusal.detail },
    ]);
    expect([asker.isConnected(), server.isConnected()]).toEqual([false, false]);
    proxy.redirect(portOf(large));
    proxy.cut();
    await until(() => asker.isConnected() && server.isConnected());
    await expect(asker.ask(echo, { text: 'x' })).resolves.toEqual({ text: 'x' });
  });
});
