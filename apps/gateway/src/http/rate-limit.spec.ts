import { jsonPost, startGateway, type Gateway } from '../testing/gateway.stage';
import { RequestCounts } from './request-counts';

const answers = { 'issuer.nonce.issue': { c_nonce: 'fresh' } };
const NONCE = '/oidc4vci/nonce';
const CLIENT = (address: string) => ({ method: 'POST', headers: [['x-forwarded-for', address]] as const });

async function withGateway(
  environment: Record<string, string>,
  use: (gateway: Gateway) => Promise<void>,
): Promise<void> {
  const gateway = await startGateway({ answers, environment });
  try {
    await use(gateway);
  } finally {
    await gateway.close();
  }
}

async function statuses(count: number, one: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push((await one()).status);
  return found;
}

describe('the rate limit of the public listener', () => {
  it('VP:Q13 VCI:T21 answers 429 with Retry-After and the RateLimit fields, as OAuth JSON', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async (gateway) => {
      const first = await gateway.toPublic(NONCE, { method: 'POST' });
      expect(first.status).toBe(200);
      expect([first.headers['ratelimit-limit'], first.headers['ratelimit-remaining']]).toEqual(['2', '1']);
      await gateway.toPublic(NONCE, { method: 'POST' });
      const { status, headers, json } = await gateway.toPublic(NONCE, { method: 'POST' });
      expect(status).toBe(429);
      const reset = Number(headers['ratelimit-reset']);
      expect(reset).toBeGreaterThan(50);
      expect(headers['retry-after']).toBe(String(reset));
      expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['2', '0']);
      expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(json).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    }));

  it('answers backends in their way, with the same Retry-After', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '1' }, async (gateway) => {
      await gateway.toPublic(NONCE, { method: 'POST' });
      const { status, headers, json } = await gateway.toPublic('/api/wallet/v1/entity', { method: 'POST' });
      expect([status, json['status'], json['code']]).toEqual([429, 429, 'rate_limited']);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(headers['retry-after']).toBe(headers['ratelimit-reset']);
      expect(json['instance']).toBe(headers['x-request-id']);
    }));

  it('counts what finds no route too, and no preflight', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '2' }, async (gateway) => {
      const headers = [
        ['origin', 'https://wallet.example'],
        ['access-control-request-method', 'POST'],
      ] as const;
      expect(await statuses(3, () => gateway.toPublic(NONCE, { method: 'OPTIONS', headers }))).toEqual([204, 204, 204]);
      expect(await statuses(3, () => gateway.toPublic('/nothing'))).toEqual([404, 404, 429]);
    }));

  it('cannot be evaded by a header of the client', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '1' }, async (gateway) => {
      const ask = (address: string) => gateway.toPublic(NONCE, CLIENT(address));
      expect([(await ask('192.0.2.1')).status, (await ask('192.0.2.2')).status]).toEqual([200, 429]);
    }));

  it('counts the clients of a trusted proxy one by one', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.1' }, async (gateway) => {
      const ask = async (address: string) => (await gateway.toPublic(NONCE, CLIENT(address))).status;
      expect([await ask('192.0.2.1'), await ask('192.0.2.2'), await ask('192.0.2.1')]).toEqual([200, 200, 429]);
      // What the client itself put in front of the proxy's entry does not count.
      expect(await ask('198.51.100.9, 192.0.2.2')).toBe(429);
    }));

  it('lasts no longer because the clock is set back', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '1' }, async (gateway) => {
      const ahead = jest.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + 3_600_000);
      try {
        expect((await gateway.toPublic(NONCE, { method: 'POST' })).status).toBe(200);
      } finally {
        ahead.mockRestore();
      }
      const { status, headers } = await gateway.toPublic(NONCE, { method: 'POST' });
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }));

  it('is absent on the management listener, and everywhere when it is 0', () =>
    withGateway({ RATE_LIMIT_PER_MINUTE: '1' }, async (gateway) => {
      const found = await statuses(5, () => gateway.toManagement('/health/live'));
      expect(new Set(found)).toEqual(new Set([200]));
      await withGateway({ RATE_LIMIT_PER_MINUTE: '0' }, async (unlimited) => {
        const { headers } = await unlimited.toPublic(NONCE, jsonPost({}));
        expect(headers['ratelimit-limit']).toBeUndefined();
      });
    }));
});

describe('the counts of the rate limit', () => {
  const counts = new RequestCounts();
  const told: unknown[] = [];
  const count = (address: string) => counts.incr(address, (_error, result) => void told.push(result), 60_000, 1);

  it('begin again a minute after the first request, for each address by itself', () => {
    let milliseconds = 1_000;
    const stopwatch = jest.spyOn(performance, 'now').mockImplementation(() => milliseconds);
    try {
      for (const [passed, address] of [
        [0, 'a'],
        [20_000, 'a'],
        [20_000, 'b'],
        [20_000, 'a'],
        [100, 'b'],
      ] as const) {
        milliseconds += passed;
        count(address);
      }
    } finally {
      stopwatch.mockRestore();
    }
    expect(told).toEqual([
      { current: 1, ttl: 60_000 },
      { current: 2, ttl: 40_000 },
      { current: 1, ttl: 60_000 },
      { current: 1, ttl: 60_000 },
      { current: 2, ttl: 39_900 },
    ]);
  });

  it('forget the 500 addresses that have been silent for longest when there are more than 5,000', () => {
    const many = new RequestCounts();
    const countOf = (address: number) => {
      let found = 0;
      many.incr(String(address), (_error, result) => void (found = result?.current ?? 0), 60_000, 1);
      return found;
    };
    for (let address = 0; address < 5_000; address += 1) countOf(address);
    countOf(0);
    countOf(5_000);
    expect([0, 501, 4_999, 5_000, 1, 500].map(countOf)).toEqual([3, 2, 2, 2, 1, 1]);
  });
});
