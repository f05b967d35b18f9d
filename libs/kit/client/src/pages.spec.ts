import { VirtualServer, type Scripted } from './testing/virtual-server';

describe('17.11 a list', () => {
  const page = (ids: readonly string[], link?: string): Scripted => ({
    status: 200,
    body: ids.map((state) => ({ state })),
    ...(link === undefined ? {} : { headers: { link } }),
  });
  async function collected(items: AsyncIterable<{ readonly state?: string }>): Promise<(string | undefined)[]> {
    const found = [];
    for await (const { state } of items) found.push(state);
    return found;
  }

  it('follows the cursor of Link with the same filter, and never its host', async () => {
    const server = new VirtualServer(
      page(['a', 'b'], '<https://elsewhere.test/oidc4vp?limit=2&cursor=c%2F1>; rel="next"'),
      page([], '<oidc4vp?cursor=2>; rel=next, <oidc4vp>; rel="first"'),
      page(['c'], '<oidc4vp>; rel="first"'),
    );
    const list = server.client().presentationRequests.list({ status: 'PENDING', limit: 2 });
    expect(await server.end(collected(list))).toEqual(['a', 'b', 'c']);
    expect(server.sent.map(({ url }) => url)).toEqual([
      'http://vestibule.test:8081/oidc4vp?status=PENDING&limit=2',
      'http://vestibule.test:8081/oidc4vp?status=PENDING&limit=2&cursor=c%2F1',
      'http://vestibule.test:8081/oidc4vp?status=PENDING&limit=2&cursor=2',
    ]);
  });

  it('of a search follows next_cursor', async () => {
    const server = new VirtualServer(
      { status: 200, body: { items: [{ id: 'a' }], next_cursor: 'n' } },
      { status: 200, body: { items: [{ id: 'b' }] } },
    );
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of server.client().content.drafts.search({ limit: 1 })) ids.push(id);
    };
    await server.end(read());
    expect(ids).toEqual(['a', 'b']);
    expect(server.sent.map(({ body }) => body)).toEqual(['{"limit":1}', '{"limit":1,"cursor":"n"}']);
  });

  it('requests the next page only when it is needed', async () => {
    const server = new VirtualServer(page(['a'], '<oidc4vp?cursor=1>; rel="next"'), page(['b']));
    const list = server.client().presentationRequests.list();
    await server.end(list.next());
    await list.return();
    expect(server.sent).toHaveLength(1);
  });

  it('that names a page twice ends with an error', async () => {
    const again = page(['a'], '<oidc4vp?cursor=1>; rel="next"');
    const server = new VirtualServer(again, again, again);
    expect(await server.end(collected(server.client().presentationRequests.list()))).toMatchObject({
      code: 'cursor_repeated',
    });
    expect(server.sent).toHaveLength(2);
  });
});

describe('17.11 a backend that cannot be called', () => {
  it('asks until the request or the offer has ended', async () => {
    const server = new VirtualServer(
      { status: 200, body: { status: 'PENDING' } },
      { status: 200, body: { status: 'FULFILLED' } },
      { status: 200, body: { status: 'OFFER_CREATED' } },
      { status: 200, body: { status: 'ISSUED' } },
    );
    const client = server.client();
    expect(await server.end(client.presentationRequests.untilEnded('s'))).toEqual({ status: 'FULFILLED' });
    expect(await server.end(client.offers.untilEnded('o'))).toEqual({ status: 'ISSUED' });
    expect(server.sent.map(({ url }) => new URL(url).search)).toEqual(Array(4).fill('?wait=30'));
  });

  it('asks no more than once a second, even if a gateway that shuts down holds no answer back', async () => {
    const pending = { status: 200, body: { status: 'PENDING' } };
    const server = new VirtualServer(pending, pending, pending, { status: 200, body: { status: 'EXPIRED' } });
    expect(await server.end(server.client().presentationRequests.untilEnded('s'))).toEqual({ status: 'EXPIRED' });
    expect(server.sent.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 3_000]);
    expect(server.timers).toBe(0);
  });

  it('ends with the reason of the signal, also between two rounds', async () => {
    const server = new VirtualServer({ status: 200, body: { status: 'OFFER_CREATED' } });
    const caller = new AbortController();
    const asked = server.client().offers.untilEnded('o', { signal: caller.signal });
    const gone = new Error('the customer has left');
    while (server.timers !== 1 || server.sent.length !== 1) await new Promise(setImmediate);
    caller.abort(gone);
    await expect(asked).rejects.toBe(gone);
    expect(server.timers).toBe(0);
  });
});
