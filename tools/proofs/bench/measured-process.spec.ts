import {
  cpuBetween,
  parseListing,
  parseProcessorTime,
  readAll,
  treeIn,
  type MeasuredProcess,
} from './measured-process';

describe('processor time as ps writes it', () => {
  it.each([
    ['0:00.12', 120],
    ['00:00:07', 7_000],
    ['12:34.50', 754_500],
    ['01:02:03', 3_723_000],
    ['2-01:00:00', 176_400_000],
  ])('%s', (text, milliseconds) => {
    expect(parseProcessorTime(text)).toBe(milliseconds);
  });
});

describe('the listing of ps', () => {
  const listing = parseListing(
    [
      '    1     0   0:10.00  1024',
      '   20     1   0:01.00   512',
      '   21    20   0:00.50   256',
      '',
      'PID garbage',
    ].join('\n'),
  );

  it('has a process on each line', () => {
    expect(listing).toHaveLength(3);
    expect(listing[2]).toEqual({ pid: 21, parent: 20, cpuMilliseconds: 500, residentBytes: 262_144 });
  });

  it('gives a process with all below it', () => {
    expect(treeIn(listing, 20)).toEqual({ cpuMilliseconds: 1_500, residentBytes: 786_432 });
    expect(treeIn(listing, 99)).toBeUndefined();
  });
});

describe('processes of one name', () => {
  it('add up, and what they used is the difference of two readings', async () => {
    const used = { first: 10, second: 20, other: 1 };
    const process = (name: string, which: keyof typeof used): MeasuredProcess => ({
      name,
      read: () => Promise.resolve({ cpuMilliseconds: used[which], residentBytes: 100 }),
    });
    const processes = [process('issuer', 'first'), process('issuer', 'second'), process('nats', 'other')];
    const before = await readAll(processes);
    used.first = 15;
    used.second = 40;
    const after = await readAll(processes);
    expect(cpuBetween(before, after)).toEqual({ issuer: 25, nats: 0 });
    expect(after.get('issuer')?.residentBytes).toBe(200);
  });
});
