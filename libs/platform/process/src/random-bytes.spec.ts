import fc from 'fast-check';
import { createRandomPool, randomBytes } from './random-bytes';

/** Each byte of the source is told by its place in it: 1, 2, 3 … in 32 bits, so that 4 bytes name where they come from. */
function countingSource() {
  let next = 0;
  const sizes: number[] = [];
  const source = (size: number): Uint8Array => {
    sizes.push(size);
    const bytes = Buffer.alloc(size);
    for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32BE((next += 1), at);
    return bytes;
  };
  return { source, sizes };
}

const numbersIn = (bytes: Uint8Array): number[] =>
  Array.from({ length: bytes.byteLength / 4 }, (_, index) => Buffer.from(bytes).readUInt32BE(index * 4));

describe('random bytes from a pool', () => {
  it('gives each byte of its source at most once, whatever sizes are asked for', () => {
    const words = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 200 });
    fc.assert(
      fc.property(words, (sizes) => {
        const random = createRandomPool(countingSource().source);
        const drawn = sizes.map((size) => random(size * 4));
        expect(drawn.map(({ byteLength }) => byteLength)).toEqual(sizes.map((size) => size * 4));
        const numbers = drawn.flatMap(numbersIn);
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(numbers).not.toContain(0);
      }),
    );
  });

  it('asks its source once for many draws', () => {
    const { source, sizes } = countingSource();
    const random = createRandomPool(source);
    for (let count = 0; count < 256; count += 1) random(16);
    expect(sizes).toEqual([4_096]);
    random(16);
    expect(sizes).toEqual([4_096, 4_096]);
  });

  it('keeps nothing of what it gave: neither side sees what the other writes', () => {
    const given = new Uint8Array(4_096).fill(7);
    const random = createRandomPool(() => given);
    const first = random(16);
    given.fill(9);
    first.fill(1);
    expect([...random(16)]).toEqual(Array.from({ length: 16 }, () => 7));
  });

  it.each([257, 5_000, 0, -16, 1.5, Number.NaN])('leaves %d bytes to its source', (size) => {
    const asked: number[] = [];
    const random = createRandomPool((wanted) => {
      asked.push(wanted);
      return new Uint8Array(4_096).fill(3);
    });
    random(16);
    random(size);
    expect(asked).toEqual([4_096, size]);
    expect([...random(16)]).not.toContain(0);
  });

  it('of the process differ each time', () => {
    const texts = Array.from({ length: 1_000 }, () => Buffer.from(randomBytes(16)).toString('hex'));
    expect(new Set(texts).size).toBe(1_000);
  });

  it('of the process come from the secure source, which refuses what is no size', () => {
    expect(() => randomBytes(-1)).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }));
  });
});
