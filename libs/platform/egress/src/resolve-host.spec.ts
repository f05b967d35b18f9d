import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { startNameServer } from './testing/name-server';
import { startHttp } from './testing/loopback-server';
import { isPublicAddress } from './public-address';
import { createCheckedLookup, resolveDevelopmentName, resolvePublicName } from './resolve-host';

const ask = (lookup: LookupFunction, all: boolean) =>
  new Promise<unknown>((resolve, reject) => {
    lookup('status.example', { all }, (error, address: string | LookupAddress[], family) =>
      error ? reject(error) : resolve(all ? address : { address, family }),
    );
  });
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('the look-up of a connection', () => {
  it('VP:Q5 hands over exactly the checked addresses', async () => {
    const lookup = createCheckedLookup(async () => ['1.1.1.1', '2606:4700::1'], isPublicAddress);
    expect(await ask(lookup, true)).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
    expect(await ask(lookup, false)).toEqual({ address: '1.1.1.1', family: 4 });
  });

  it.each([
    [['127.0.0.1']],
    [['1.1.1.1', '169.254.169.254']],
    [['2606:4700::1', '::1']],
    [['1.1.1.1', '::ffff:10.0.0.1']],
    [['1.1.1.1', 'localhost']],
  ])('VP:Q5 refuses a name when one of its addresses is not public: %j', async (addresses) => {
    const lookup = createCheckedLookup(async () => addresses, isPublicAddress);
    await expect(ask(lookup, true)).rejects.toEqual(code('egress_refused_address'));
    await expect(ask(lookup, false)).rejects.toEqual(code('egress_refused_address'));
  });

  it('VP:Q5 refuses what is no address even where every address is allowed', async () => {
    const lookup = createCheckedLookup(
      async () => ['localhost'],
      () => true,
    );
    await expect(ask(lookup, true)).rejects.toEqual(code('egress_refused_address'));
  });

  it('VP:Q5 fails for a name without an address', async () => {
    const none = createCheckedLookup(async () => [], isPublicAddress);
    const unknown = createCheckedLookup(() => Promise.reject(new Error('ENOTFOUND')), isPublicAddress);
    await expect(ask(none, true)).rejects.toEqual(code('egress_unresolved'));
    await expect(ask(unknown, true)).rejects.toEqual(code('egress_unresolved'));
  });

  it('VP:Q5 resolves once, so the second answer of a rebinding name server is never asked for', async () => {
    const server = await startHttp((_, response) => response.end('first'));
    const resolve = jest.fn(async () => ['127.0.0.1']).mockResolvedValueOnce(['127.0.0.1']);
    const isAllowed = jest
      .fn(() => true)
      .mockReturnValueOnce(true)
      .mockReturnValue(false);
    const agent = new Agent({ connect: { lookup: createCheckedLookup(resolve, isAllowed) } });
    const origin = `http://rebinding.example:${server.port}`;
    const { body } = await agent.request({ origin, path: '/', method: 'GET' });
    expect(await body.text()).toBe('first');
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(isAllowed).toHaveBeenCalledTimes(1);
    await agent.destroy();
    await server.close();
  });

  it('finds a development host as the operating system does', async () => {
    expect(await resolveDevelopmentName('127.0.0.1')).toEqual(['127.0.0.1']);
  });
});

describe('the addresses of a public name', () => {
  const A = 1;
  const AAAA = 28;
  const resolveWith = async (records: Readonly<Record<number, readonly Buffer[]>>) => {
    const server = await startNameServer(records);
    try {
      return await resolvePublicName('status.example', [server.address]);
    } finally {
      await server.close();
    }
  };
  const ipv4 = Buffer.of(1, 1, 1, 1);
  const ipv6 = Buffer.from('26064700000000000000000000000001', 'hex');

  it('VP:Q5 are all of both families', async () => {
    const addresses = await resolveWith({ [A]: [ipv4, Buffer.of(127, 0, 0, 1)], [AAAA]: [ipv6] });
    expect(addresses).toEqual(['1.1.1.1', '127.0.0.1', '2606:4700::1']);
  });

  it('VP:Q5 are those of one family when the other has none', async () => {
    expect(await resolveWith({ [A]: [ipv4], [AAAA]: [] })).toEqual(['1.1.1.1']);
    expect(await resolveWith({ [A]: [], [AAAA]: [ipv6] })).toEqual(['2606:4700::1']);
  });

  it('VP:Q5 are an error when there is none', async () => {
    await expect(resolveWith({ [A]: [], [AAAA]: [] })).rejects.toMatchObject({ code: 'ENODATA' });
  });
});
