import { wireValue } from './wire-values';

describe('parameters for Postgres', () => {
  it('are text, bytes or NULL', () => {
    expect([
      wireValue('ä'),
      wireValue(12),
      wireValue(12n),
      wireValue(true),
      wireValue(null),
      wireValue(undefined),
    ]).toEqual(['ä', '12', '12', 'true', null, null]);
    expect(wireValue(new Uint8Array([1, 2, 255]).subarray(1))).toEqual(Buffer.from([2, 255]));
  });

  it('are JSON if they are objects', () => {
    expect(wireValue({ a: [1, null] })).toBe('{"a":[1,null]}');
  });

  it('quote and escape the elements of arrays', () => {
    const elements = ['plain', 'a "b" \\ c,d{}', '', 'NULL', null, 3, false, Buffer.from([0xab]), ['x', null]];
    expect(wireValue(elements)).toBe('{"plain","a \\"b\\" \\\\ c,d{}","","NULL",NULL,"3","false",\\\\xab,{"x",NULL}}');
    expect(wireValue([])).toBe('{}');
  });

  it('write instants in UTC, with the years that Postgres reads', () => {
    expect(wireValue(new Date('2026-11-26T23:59:59.123+02:00'))).toBe('2026-11-26T21:59:59.123Z');
    expect(wireValue(new Date(Date.UTC(12026, 0, 2)))).toBe('12026-01-02T00:00:00.000Z');
    expect(wireValue(new Date('-000043-03-15T00:00:00.000Z'))).toBe('0044-03-15T00:00:00.000Z BC');
    expect(() => wireValue(new Date(Number.NaN))).toThrow(RangeError);
  });
});
