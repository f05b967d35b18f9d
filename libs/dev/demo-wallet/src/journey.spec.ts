import { startJourney, type Persistence } from './journey';

/** A network that answers with these statuses in turn, 0 for no answer, and a step that asks it. */
function stepOver(statuses: readonly number[], persistence: Persistence) {
  const left = [...statuses];
  const network = async () => {
    const status = left.shift() ?? 200;
    if (status === 0) throw new TypeError('fetch failed');
    return new Response('{}', { status });
  };
  const journey = startJourney({ fetch: network as typeof fetch }, persistence);
  const run = () =>
    journey.step('credential', async () => {
      const { ok, status } = await journey.fetch('https://issuer.example/credential', { method: 'POST', body: '{}' });
      if (!ok) throw new TypeError('refused');
      return status;
    });
  return { run, left };
}

describe('a step of a wallet', () => {
  it.each([{ retries: 2 }, { retrySeconds: 60 }])(
    'is repeated without an answer, and after 5xx: %j',
    async (persistence) => {
      const { run, left } = stepOver([0, 503, 200], persistence);
      await expect(run()).resolves.toBe(200);
      expect(left).toEqual([]);
    },
  );

  it('is not repeated by default', async () => {
    await expect(stepOver([503, 200], {}).run()).rejects.toMatchObject({ status: 503 });
  });

  it('is repeated so many times and no more', async () => {
    const { run, left } = stepOver([503, 503, 503, 200], { retries: 2 });
    await expect(run()).rejects.toMatchObject({ status: 503 });
    expect(left).toEqual([200]);
  });

  it.each([400, 401, 429])('is not repeated after %d: what was refused is refused', async (status) => {
    const { run, left } = stepOver([status, 200], { retries: 5, retrySeconds: 60 });
    await expect(run()).rejects.toMatchObject({ status });
    expect(left).toEqual([200]);
  });

  it('waits longer for an answer than the product takes over a service that died', async () => {
    const clock = jest.spyOn(AbortSignal, 'timeout');
    await stepOver([200], {}).run();
    expect(clock.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([40_000]);
    clock.mockRestore();
  });
});
