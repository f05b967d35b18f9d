/** Bytes of error correction in each block of level L, by version from 1 (ISO/IEC 18004, table 9). */
const CORRECTION = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30,
  30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];
/** Number of blocks of level L, by version from 1. */
const BLOCKS = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19,
  20, 21, 22, 24, 25,
];

/** How the bytes of a version are split. */
export interface Layout {
  readonly version: number;
  readonly size: number;
  /** All bytes, with error correction. */
  readonly total: number;
  /** Bytes of content. */
  readonly content: number;
  readonly blocks: number;
  /** Bytes of error correction in each block. */
  readonly correction: number;
}

/** Centres of the alignment patterns, on both axes. */
export function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = version * 4 + 10;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - (count - 2 - index) * step)];
}

function bitsOf(version: number): number {
  const size = version * 4 + 17;
  const aligned = alignmentCentres(version).length;
  // Three finders with their borders, two timing lines, the format with its dark module.
  let bits = size * size - 3 * 64 - 2 * (size - 16) - 31;
  if (aligned > 0) bits -= (aligned * aligned - 3) * 25 - (aligned - 2) * 2 * 5;
  return version >= 7 ? bits - 36 : bits;
}

/** The layout of a version at level L. */
export function layoutOf(version: number): Layout {
  const total = Math.floor(bitsOf(version) / 8);
  const blocks = BLOCKS[version - 1] as number;
  const correction = CORRECTION[version - 1] as number;
  return { version, size: version * 4 + 17, total, content: total - blocks * correction, blocks, correction };
}

function multiply(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    if ((right >>> bit) & 1) product ^= left;
  }
  return product;
}

/** The divisor of Reed-Solomon codes of this degree, without its leading 1. */
function divisorOf(degree: number): number[] {
  const divisor: number[] = Array.from({ length: degree }, (_, index) => (index === degree - 1 ? 1 : 0));
  for (let step = 0, root = 1; step < degree; step += 1, root = multiply(root, 2)) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at] as number, root) ^ (divisor[at + 1] ?? 0);
  }
  return divisor;
}

function remainderOf(block: readonly number[], divisor: readonly number[]): number[] {
  const remainder = divisor.map(() => 0);
  for (const byte of block) {
    const factor = byte ^ (remainder.shift() as number);
    remainder.push(0);
    divisor.forEach((value, at) => (remainder[at] = (remainder[at] as number) ^ multiply(value, factor)));
  }
  return remainder;
}

/** The bytes as they are drawn: blocks interleaved, content first, then error correction. */
export function interleave(content: readonly number[], layout: Layout): number[] {
  const { blocks, total, correction } = layout;
  const short = Math.floor(total / blocks) - correction;
  const longer = blocks - (total % blocks);
  const divisor = divisorOf(correction);
  let at = 0;
  const parts = Array.from({ length: blocks }, (_, index) => {
    const block = content.slice(at, (at += short + (index < longer ? 0 : 1)));
    return { block, check: remainderOf(block, divisor) };
  });
  const column = (pick: 'block' | 'check', length: number) =>
    Array.from({ length }, (_, row) => parts.flatMap((part) => part[pick][row] ?? [])).flat();
  return [...column('block', short + 1), ...column('check', correction)];
}
