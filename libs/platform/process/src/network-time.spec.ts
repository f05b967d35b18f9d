import dns from 'node:dns';
import { startNtpStub, type NtpStub, type NtpStubOptions } from '@vestibule/dev-stack';
import { measureClockAhead } from './network-time';

const stubs: NtpStub[] = [];
afterEach(async () => {
  await Promise.all(stubs.splice(0).map((stub) => stub.stop()));
});

const nonce = Buffer.from('0123456789abcdef', 'hex');
const clock = () => new Date();

async function ahead(options: NtpStubOptions, milliseconds = 5_000): Promise<number | undefined> {
  const stub = await startNtpStub(options);
  stubs.push(stub);
  return measureClockAhead({ server: stub.server, clock, nonce, milliseconds });
}

describe('the clock against an NTP server', () => {
  it.each([-90_000, -3_000, 0, 3_000, 90_000])('differs by as much as it does: %d ms', async (aheadMilliseconds) => {
    const measured = await ahead({ aheadMilliseconds });
    expect(Math.abs((measured ?? NaN) + aheadMilliseconds)).toBeLessThan(1_000);
  });

  it('is right beyond the end of the era, in 2036', async () => {
    const aheadMilliseconds = Date.UTC(2040, 0, 1) - Date.now();
    expect(Math.abs(((await ahead({ aheadMilliseconds })) ?? NaN) + aheadMilliseconds)).toBeLessThan(1_000);
  });

  it.each<[string, NtpStubOptions]>([
    ['of a server that has no time itself', { stratum: 16 }],
    ['that says to go away', { stratum: 0 }],
    ['of someone who cannot see the question', { repeats: false }],
  ])('is not measured by the answer %s', async (_what, options) => {
    expect(await ahead(options, 200)).toBeUndefined();
  });

  it('is not measured by a server that has no address', async () => {
    expect(await measureClockAhead({ server: 'nowhere.invalid', clock, nonce, milliseconds: 2_000 })).toBeUndefined();
  });

  it('is not measured by a server whose name server says only later that there is none, which does no harm then', async () => {
    const lookup = dns.lookup as (...parameters: unknown[]) => void;
    let fail: () => void = () => undefined;
    const spied = jest.spyOn(dns, 'lookup').mockImplementation(((hostname: string, ...rest: unknown[]) => {
      if (hostname !== 'slow.invalid') return lookup(hostname, ...rest);
      const done = rest.at(-1) as (error: Error) => void;
      fail = () => done(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' }));
    }) as never);
    try {
      expect(await measureClockAhead({ server: 'slow.invalid', clock, nonce, milliseconds: 20 })).toBeUndefined();
    } finally {
      spied.mockRestore();
    }
    fail();
    await new Promise(setImmediate);
  });
});
