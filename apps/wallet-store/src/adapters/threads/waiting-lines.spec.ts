import fc from 'fast-check';
import { WaitingLines } from './waiting-lines';

const everybody = () => true;

describe('waiting lines', () => {
  it('take turns, and serve each line in its order', () => {
    const lines = new WaitingLines<string>();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) lines.push(name.slice(0, 1), name);
    const served = Array.from({ length: 6 }, () => lines.shift(everybody));
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect([lines.size, lines.shift(everybody)]).toEqual([0, undefined]);
  });

  it('pass over who may not be served now, without losing the place', () => {
    const lines = new WaitingLines<string>();
    for (const name of ['a1', 'a2', 'b1']) lines.push(name.slice(0, 1), name);
    expect(lines.shift((owner) => owner !== 'a')).toBe('b1');
    expect(lines.shift((owner) => owner !== 'a')).toBeUndefined();
    expect([lines.some((owner) => owner === 'a'), lines.some((owner) => owner === 'b')]).toEqual([true, false]);
    expect(lines.shift(everybody)).toBe('a1');
  });

  it('give up the last of the longest line, of two equal ones that of the later', () => {
    const lines = new WaitingLines<string>();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) lines.push(name.slice(0, 1), name);
    const given = Array.from({ length: 5 }, () => lines.popFromLongest());
    expect(given).toEqual(['a3', 'b2', 'a2', 'b1', 'a1']);
    expect(lines.popFromLongest()).toBeUndefined();
  });

  it('hold what they were given and nothing else, whatever is done', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), owner: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constantFrom('shift', 'pop', 'remove'), owner: fc.constantFrom('a', 'b', 'c') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lines = new WaitingLines<number>();
        const held = new Map<number, string>();
        let next = 0;
        for (const { kind, owner } of steps) {
          if (kind === 'push') {
            held.set(next, owner);
            lines.push(owner, next);
            next += 1;
          } else {
            const [first] = [...held].find(([, whose]) => whose === owner) ?? [];
            const taken =
              kind === 'shift'
                ? lines.shift((whose) => whose === owner)
                : kind === 'pop'
                  ? lines.popFromLongest()
                  : first !== undefined && lines.remove(owner, first)
                    ? first
                    : undefined;
            if (kind === 'pop') expect(taken === undefined).toBe(held.size === 0);
            else expect(taken).toBe(first);
            if (taken !== undefined) expect(held.delete(taken)).toBe(true);
          }
          expect(lines.size).toBe(held.size);
          for (const whose of ['a', 'b', 'c'])
            expect(lines.some((one) => one === whose)).toBe([...held.values()].includes(whose));
        }
        expect(lines.remove('a', -1)).toBe(false);
      }),
    );
  });
});
