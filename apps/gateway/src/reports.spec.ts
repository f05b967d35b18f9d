import { until } from '@vestibule/testkit';
import { Reports } from './reports';

let told: string[][];
let answer: () => Promise<void>;
let full: number;
let reports: Reports<string>;
let useless: Set<string>;
const open = (mostWaiting = 100) =>
  new Reports<string>({
    tell: async (items) => {
      told.push([...items]);
      await answer();
    },
    mostAtOnce: 2,
    mostWaiting,
    isWorthwhile: (item) => !useless.has(item),
    onFull: () => void (full += 1),
    firstMilliseconds: 1,
    everyMilliseconds: 1,
    againMilliseconds: [1, 4],
  });
beforeEach(() => {
  told = [];
  full = 0;
  useless = new Set();
  answer = async () => undefined;
  reports = open();
});
afterEach(() => reports.close());

const refuse = () => Promise.reject(new Error('nobody listens'));
const add = (...items: readonly string[]) => items.forEach((item) => reports.add(item, item));

describe('reports', () => {
  it('are told together, in batches, each item once', async () => {
    add('a', 'b', 'a', 'c');
    await until(() => reports.waiting === 0);
    expect(told).toEqual([['a', 'b'], ['c']]);
  });

  it('are told again until somebody takes them', async () => {
    answer = refuse;
    add('a');
    await until(() => told.length >= 4);
    answer = async () => undefined;
    await until(() => reports.waiting === 0);
    expect(new Set(told.map((items) => items.join()))).toEqual(new Set(['a']));
  });

  it('do not tell what was taken back or is of no use any more', async () => {
    answer = refuse;
    add('a', 'b', 'c');
    await until(() => told.length >= 1);
    reports.remove('a');
    useless.add('b');
    const before = told.length;
    await until(() => told.length > before + 1);
    answer = async () => undefined;
    await until(() => reports.waiting === 0);
    expect(told.at(-1)).toEqual(['c']);
  });

  it('keep so many and no more, and say so once', async () => {
    reports = open(3);
    answer = refuse;
    add('a', 'b', 'c', 'd', 'e');
    expect([reports.waiting, full]).toEqual([3, 1]);
    answer = async () => undefined;
    await until(() => reports.waiting === 0);
    expect(new Set(told.flat())).toEqual(new Set(['c', 'd', 'e']));
  });

  it('tell again of what came anew while it was being told', async () => {
    let isFirst = true;
    answer = async () => {
      if (!isFirst) return;
      isFirst = false;
      reports.remove('a');
      reports.add('a', 'anew');
    };
    add('a');
    await until(() => reports.waiting === 0);
    expect(told).toEqual([['a'], ['anew']]);
  });

  it('tell at the end what waits, and give up where nobody takes it', async () => {
    add('a', 'b', 'c');
    await reports.close();
    expect([reports.waiting, told.flat()]).toEqual([0, ['a', 'b', 'c']]);
    reports = open();
    answer = refuse;
    add('d');
    await reports.close();
    expect(reports.waiting).toBe(1);
  });

  it('do not tell again what was taken back while nobody took it', async () => {
    answer = async () => {
      reports.remove('a');
      answer = async () => undefined;
      return refuse();
    };
    add('a', 'b');
    await until(() => told.length === 2);
    expect(told).toEqual([['a', 'b'], ['b']]);
  });
});
