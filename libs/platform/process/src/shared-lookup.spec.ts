import type { ProbeAnswer } from './name-server-probe';
import { createSharedLookup, sharedLookup } from './shared-lookup';

/** A lookup over name servers of which each answers when the test says so, by a clock of the test. */
function lookingUp(unanswered: readonly string[] = [], answered: { [hostname: string]: ProbeAnswer } = {}) {
  const [asked, probed]: [string[], string[]] = [[], []];
  const open = new Map<string, (error: Error | null, addresses: { address: string; family: number }[]) => void>();
  let now = 0;
  const lookup = createSharedLookup(
    (hostname, done) => {
      asked.push(hostname);
      open.set(hostname, (error, addresses) => done(error, addresses));
    },
    () => now,
    (hostname, done) => {
      probed.push(hostname);
      done(answered[hostname] ?? (unanswered.includes(hostname) ? 'silence' : 'address'));
    },
  );
  const find = (hostname: string, all = true) =>
    new Promise<unknown>((resolve) =>
      lookup(hostname, { all }, (error, address, family) => resolve(error ?? (all ? address : [address, family]))),
    );
  const answer = (hostname: string, milliseconds: number, error: Error | null = null) => {
    now += milliseconds;
    open.get(hostname)?.(error, error ? [] : [{ address: '192.0.2.1', family: 4 }]);
  };
  return { asked, probed, find, answer };
}
const LOOPBACK = /^(127\.0\.0\.1|::1)$/;
/** A label of a name has at most 63 characters: no name server is asked. */
const IMPOSSIBLE = 'a'.repeat(64);
const ADDRESSES = [{ address: '192.0.2.1', family: 4 }];

describe('the lookup of a name', () => {
  it('is that of the operating system, in the form that is wanted', async () => {
    const find = (hostname: string, all: boolean) =>
      new Promise<unknown>((resolve) => sharedLookup(hostname, { all }, (error, address) => resolve(error ?? address)));
    const [all, one] = await Promise.all([find('localhost', true), find('localhost', false)]);
    expect(all).toContainEqual({
      address: expect.stringMatching(LOOPBACK) as unknown,
      family: expect.any(Number) as unknown,
    });
    expect(one).toMatch(LOOPBACK);
    for (const form of [true, false])
      expect(await find(IMPOSSIBLE, form)).toMatchObject({ code: 'ENOTFOUND', syscall: 'getaddrinfo' });
  });

  it('is one for all connections that are opened to it meanwhile, whatever form they want', async () => {
    const { asked, find, answer } = lookingUp();
    const found = Promise.all([find('a.example'), find('a.example'), find('a.example', false)]);
    expect(asked).toEqual(['a.example']);
    answer('a.example', 5);
    expect(await found).toEqual([ADDRESSES, ADDRESSES, ['192.0.2.1', 4]]);
    void find('a.example');
    expect(asked).toEqual(['a.example', 'a.example']);
  });

  it('fails for all of them, and is made again for the next', async () => {
    const { asked, find, answer } = lookingUp();
    const failure = new Error('no such name');
    const found = Promise.all([find('a.example'), find('a.example', false)]);
    answer('a.example', 5, failure);
    expect(await found).toEqual([failure, failure]);
    void find('a.example');
    expect(asked).toHaveLength(2);
  });

  it('does not wait for that of another name', async () => {
    const { asked, find, answer } = lookingUp();
    void find('hangs.example');
    const found = find('b.example');
    expect(asked).toEqual(['hangs.example', 'b.example']);
    answer('b.example', 5);
    expect(await found).toEqual(ADDRESSES);
  });

  it('waits in line where it was slow before, so that names which hang take one thread together', async () => {
    const { asked, find, answer } = lookingUp();
    const hanging = ['one.example', 'two.example', 'three.example'];
    const away = new Error('no name server');
    const first = hanging.map((name) => find(name));
    hanging.forEach((name) => answer(name, 10_000, away));
    expect(await Promise.all(first)).toEqual([away, away, away]);
    asked.length = 0;
    const second = hanging.map((name) => find(name));
    const found = find('fast.example');
    expect(asked).toEqual(['one.example', 'fast.example']);
    answer('fast.example', 5);
    expect(await found).toEqual(ADDRESSES);
    answer('one.example', 5);
    expect(asked).toEqual(['one.example', 'fast.example', 'two.example']);
    answer('two.example', 10_000, away);
    answer('three.example', 5);
    expect(await Promise.all(second)).toEqual([ADDRESSES, away, ADDRESSES]);
    // Those that have answered in time do not wait any more.
    asked.length = 0;
    void find('two.example');
    void find('one.example');
    expect(asked).toEqual(['two.example', 'one.example']);
  });

  it('waits in line where no name server answers before: names that hang never take more than one thread', async () => {
    const { asked, find, answer } = lookingUp(['one.example', 'two.example', 'three.example']);
    const hanging = ['one.example', 'two.example', 'three.example'].map((name) => find(name));
    const found = find('fast.example');
    expect(asked).toEqual(['one.example', 'fast.example']);
    answer('fast.example', 5);
    expect(await found).toEqual(ADDRESSES);
    for (const name of ['one.example', 'two.example', 'three.example']) answer(name, 10_000);
    expect(await Promise.all(hanging)).toEqual([ADDRESSES, ADDRESSES, ADDRESSES]);
  });

  it('does not ask for a name server again where the name was found without one, until it is slow', async () => {
    const { asked, probed, find, answer } = lookingUp(['hosts-file.example']);
    const lookUp = async (milliseconds: number) => {
      const found = find('hosts-file.example');
      answer('hosts-file.example', milliseconds);
      expect(await found).toEqual(ADDRESSES);
    };
    await lookUp(5);
    await lookUp(5);
    void find('hangs.example');
    await lookUp(5);
    expect(probed).toEqual(['hosts-file.example', 'hangs.example']);
    expect(asked).toHaveLength(4);
    await lookUp(10_000);
    answer('hangs.example', 30_000);
    await lookUp(5);
    await lookUp(5);
    expect(probed).toEqual(['hosts-file.example', 'hangs.example', 'hosts-file.example']);
  });

  it('does not wait in line where the name was found in a search list, as names in clusters are', async () => {
    const answers: { [hostname: string]: ProbeAnswer } = { 'backend.team': 'no_address', 'unknown.team': 'no_address' };
    const { asked, find, answer } = lookingUp(['hangs.example'], answers);
    const [found, unknown] = [find('backend.team'), find('unknown.team')];
    answer('backend.team', 5);
    const failure = new Error('no such name');
    answer('unknown.team', 5, failure);
    expect(await Promise.all([found, unknown])).toEqual([ADDRESSES, failure]);
    // The name servers of the internet hang: they would be asked for the name itself.
    answers['backend.team'] = answers['unknown.team'] = 'silence';
    for (const name of ['hangs.example', 'backend.team', 'unknown.team']) void find(name);
    expect(asked.slice(2)).toEqual(['hangs.example', 'backend.team']);
  });

  it('that is slow each time serves the next connection too, if one could not wait for it', async () => {
    const { asked, find, answer } = lookingUp();
    const names = ['hangs.example', 'slow.example'];
    const away = new Error('no name server');
    const first = Promise.all(names.map((name) => find(name)));
    answer('hangs.example', 10_000, away);
    answer('slow.example', 0);
    expect(await first).toEqual([away, ADDRESSES]);
    expect(await find('slow.example')).toEqual(ADDRESSES);
    expect(await find('slow.example', false)).toEqual(['192.0.2.1', 4]);
    expect(asked).toEqual(names);
    // Only for a while, and what failed is asked again.
    void find('hangs.example');
    expect(asked).toEqual([...names, 'hangs.example']);
    answer('hangs.example', 30_000, away);
    const late = find('slow.example');
    expect(asked).toEqual([...names, 'hangs.example', 'slow.example']);
    answer('slow.example', 5);
    expect(await late).toEqual(ADDRESSES);
    void find('slow.example');
    expect(asked).toHaveLength(5);
  });
});
