import { startCallbackReceiver } from './callback-receiver';

describe('startCallbackReceiver', () => {
  const post = (url: string, body: string) => fetch(url, { method: 'POST', body });

  it('collects bodies and answers 204, or what it is told to', async () => {
    let status = 500;
    const receiver = await startCallbackReceiver({ respond: () => status });
    expect((await post(receiver.url, '{"status":"ISSUED"}')).status).toBe(500);
    status = 200;
    expect((await post(receiver.url, 'no json')).status).toBe(200);
    expect(receiver.received.map(({ body }) => body)).toEqual([{ status: 'ISSUED' }, 'no json']);
    await receiver.stop();
  });

  it('tells what has been answered, and forgets it where nobody will ask', async () => {
    const answered: unknown[] = [];
    const receiver = await startCallbackReceiver({ keep: false, onAnswered: ({ body }) => void answered.push(body) });
    expect((await post(receiver.url, '{"status":"ISSUED"}')).status).toBe(204);
    expect([answered, receiver.received]).toEqual([[{ status: 'ISSUED' }], []]);
    await receiver.stop();
  });

  it('takes nothing from a page in a browser, which may post to any address of this machine', async () => {
    const receiver = await startCallbackReceiver();
    for (const [name, value] of [
      ['origin', 'https://site.example'],
      ['origin', 'null'],
      ['sec-fetch-site', 'cross-site'],
    ] as const) {
      const headers = { [name]: value };
      const { status } = await fetch(receiver.url, { method: 'POST', headers, body: '{"status":"FULFILLED"}' });
      expect(status).toBe(403);
    }
    expect(receiver.received).toEqual([]);
    await receiver.stop();
  });

  it('waits for a callback that is still to come, and not for ever', async () => {
    const receiver = await startCallbackReceiver();
    const awaited = receiver.waitFor(({ text }) => text.includes('second'));
    await post(receiver.url, 'first');
    await post(receiver.url, 'second');
    expect((await awaited).text).toBe('second');
    expect((await receiver.waitFor(({ text }) => text === 'first')).text).toBe('first');
    await expect(receiver.waitFor(() => false, 50)).rejects.toMatchObject({ code: 'callback_missing' });
    await receiver.stop();
  });
});
