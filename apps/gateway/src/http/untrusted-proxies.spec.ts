import { fastify } from 'fastify';
import { startGateway } from '../testing/gateway.stage';
import { watchUntrustedProxies } from './untrusted-proxies';

const XFF = ['x-forwarded-for', '203.0.113.7'] as const;

async function watching(trusted: readonly string[]) {
  const warnings: unknown[] = [];
  let now = 0;
  const instance = fastify();
  const logger = {
    warn: (_sentence: string, fields?: object) => void warnings.push((fields as { peer: string }).peer),
  };
  watchUntrustedProxies(instance, { trusted, logger, now: () => now });
  instance.get('/', () => 'ok');
  await instance.ready();
  const from = (remoteAddress: string, headers: Record<string, string> = { 'x-forwarded-for': '203.0.113.7' }) =>
    instance.inject({ url: '/', remoteAddress, headers });
  return { warnings, from, later: (milliseconds: number) => (now += milliseconds) };
}

describe('a peer that says for whom it speaks and is not trusted', () => {
  it('is logged once an hour, with what to set', async () => {
    const gateway = await startGateway();
    for (let times = 0; times < 3; times += 1) await gateway.toPublic('/oidc4vci/nonce', { headers: [XFF] });
    const lines = gateway.lines.filter((line) => line.includes('TRUSTED_PROXIES'));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: 'warn', peer: '127.0.0.1' }),
    ]);
    expect(lines.join('')).not.toContain('203.0.113.7');
    await gateway.close();
  });

  it.each(['127.0.0.1', '127.0.0.0/8', '10.0.0.1,127.0.0.1'])(
    'is not logged with TRUSTED_PROXIES=%s',
    async (trusted) => {
      const gateway = await startGateway({ environment: { TRUSTED_PROXIES: trusted } });
      await gateway.toPublic('/oidc4vci/nonce', { headers: [XFF] });
      await gateway.toManagement('/health/live', { headers: [XFF] });
      expect(gateway.lines.join('')).not.toContain('is not in TRUSTED_PROXIES');
      await gateway.close();
    },
  );

  it('is logged again in the next hour, and by each of its names', async () => {
    const { warnings, from, later } = await watching([]);
    await from('10.0.0.1');
    later(3_599_999);
    await from('::ffff:10.0.0.1');
    await from('fd00::1', { forwarded: 'for=203.0.113.7' });
    expect(warnings).toEqual(['10.0.0.1', 'fd00::1']);
    later(1);
    await from('10.0.0.1');
    expect(warnings).toEqual(['10.0.0.1', 'fd00::1', '10.0.0.1']);
  });

  it('at a public address may be a wallet: it is not named, and counts once', async () => {
    const { warnings, from } = await watching([]);
    for (const address of ['203.0.113.1', '203.0.113.2', '2001:db8::1', '8.8.8.8']) await from(address);
    expect(warnings).toEqual(['a public address']);
  });

  it('is one of at most twenty in an hour', async () => {
    const { warnings, from } = await watching(['10.0.0.7']);
    for (let index = 0; index < 60; index += 1) await from(`10.0.0.${index}`);
    expect(warnings).toHaveLength(20);
    expect(warnings).not.toContain('10.0.0.7');
  });

  it('is nobody who sends no such header', async () => {
    const { warnings, from } = await watching([]);
    await from('10.0.0.1', {});
    await from('10.0.0.1', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a' });
    expect(warnings).toEqual([]);
  });
});
