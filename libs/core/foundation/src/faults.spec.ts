import { below, collectFaults, elementsOf, holdsObject, memberOf, memberPath, placeOf, readFlag, warn } from './index';

describe('the path of a fault', () => {
  it.each([
    ['', 'a', 'a'],
    ['a', 'b', 'a.b'],
    ['a', 'b c', 'a["b c"]'],
    ['a', '', 'a[""]'],
    ['a', '"]', 'a["\\"]"]'],
    ['a', 'x'.repeat(65), `a["${'x'.repeat(64)}"]`],
  ])('below %j of a member %j is %s', (parent, name, path) => {
    expect(memberPath(parent, name)).toBe(path);
  });

  it('leads through objects, arrays and prefixes', () => {
    const root = placeOf({ a: [1, { b: true }] }, 'root');
    if (!holdsObject(root)) throw new Error('no object');
    const [, second] = elementsOf(memberOf(root, 'a'));
    expect(second?.path).toBe('root.a[1]');
    const { faults, note } = collectFaults();
    for (const path of ['', '[0]', 'x']) below(below(note, 'inner'), 'outer')(path, 'wrong');
    expect(faults.map(({ path }) => path)).toEqual(['inner.outer', 'inner.outer[0]', 'inner.outer.x']);
  });
});

describe('collected faults', () => {
  it('are at most as many as are wanted', () => {
    const { faults, note, isFull } = collectFaults(2);
    for (const path of ['a', 'b', 'c']) note(path, 'wrong');
    expect([faults.length, isFull()]).toEqual([2, true]);
    expect(collectFaults().isFull()).toBe(false);
  });

  it('do not mix with warnings, nor with those of another document', () => {
    const [one, other] = [placeOf(1), placeOf(undefined)];
    expect([holdsObject(one), holdsObject(other)]).toEqual([false, false]);
    warn(one, 'may surprise');
    expect(one.findings).toEqual({
      faults: [{ path: '', message: 'must be an object' }],
      warnings: [{ path: '', message: 'may surprise' }],
    });
    expect(other.findings.faults).toEqual([{ path: '', message: 'is required' }]);
  });

  it.each([
    [[], { least: 1 as const }, 'must be a non-empty array'],
    [undefined, { least: 1 as const }, 'is required, and must be a non-empty array'],
    [{}, { least: 1 as const }, 'must be a non-empty array'],
    [undefined, { most: 1 }, 'is required'],
    ['a', { most: 1 }, 'must be an array'],
    [[1, 2], { most: 1 }, 'must have at most 1 elements'],
  ])('say of %j within %j what is expected', (value, bounds, message) => {
    const place = placeOf(value);
    expect(elementsOf(place, bounds)).toEqual([]);
    expect(place.findings.faults).toEqual([{ path: '', message }]);
  });

  it('tell an inherited member and a flag of another type from what is there', () => {
    const root = placeOf({ yes: true, no: 'no' });
    if (!holdsObject(root)) throw new Error('no object');
    expect(memberOf(root, 'toString').value).toBeUndefined();
    expect(['yes', 'no', 'absent'].map((name) => readFlag(memberOf(root, name)))).toEqual([true, undefined, undefined]);
    expect(root.findings.faults).toEqual([{ path: 'no', message: 'must be true or false' }]);
  });
});
