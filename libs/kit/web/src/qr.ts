import { alignmentCentres, interleave, layoutOf, type Layout } from './qr-blocks';

/** A QR code: rows of modules, true for dark. */
export type Modules = readonly (readonly boolean[])[];

const LAST_VERSION = 40;
/** Level L. */
const LEVEL_BITS = 1;
/** The format of the mask is drawn here, too; which one is chosen does not matter to scanners that follow the standard. */
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The smallest layout for so many bytes. @throws RangeError over 2953 bytes */
function chooseLayout(bytes: number): Layout {
  for (let version = 1; version <= LAST_VERSION; version += 1) {
    const layout = layoutOf(version);
    if (bytes + (version < 10 ? 2 : 3) <= layout.content) return layout;
  }
  throw new RangeError('a QR code holds at most 2953 bytes');
}

function contentOf(text: Uint8Array, { version, content }: Layout): number[] {
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let at = length - 1; at >= 0; at -= 1) bits.push((value >>> at) & 1);
  };
  put(4, 4);
  put(text.length, version < 10 ? 8 : 16);
  for (const byte of text) put(byte, 8);
  put(0, Math.min(4, content * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const bytes = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
  for (let pad = 0xec; bytes.length < content; pad ^= 0xec ^ 0x11) bytes.push(pad);
  return bytes;
}

/** A drawing: what is fixed is neither masked nor content. */
class Drawing {
  readonly dark: boolean[][];
  readonly fixed: boolean[][];

  constructor(readonly layout: Layout) {
    const rows = () => Array.from({ length: layout.size }, () => Array<boolean>(layout.size).fill(false));
    this.dark = rows();
    this.fixed = rows();
  }

  fix(x: number, y: number, isDark: boolean): void {
    if (x < 0 || y < 0 || x >= this.layout.size || y >= this.layout.size) return;
    (this.dark[y] as boolean[])[x] = isDark;
    (this.fixed[y] as boolean[])[x] = true;
  }

  /** Rings around a centre; `light` are the distances that are not dark. */
  rings([x, y]: readonly [number, number], reach: number, light: readonly number[]): void {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1)
        this.fix(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  drawPatterns(): void {
    const { size, version } = this.layout;
    for (let at = 0; at < size; at += 1) {
      this.fix(6, at, at % 2 === 0);
      this.fix(at, 6, at % 2 === 0);
    }
    const centres = alignmentCentres(version);
    const [first, last] = [6, size - 7];
    for (const x of centres)
      for (const y of centres) {
        const isFinder = (x === first && y === first) || (x === first && y === last) || (x === last && y === first);
        if (!isFinder) this.rings([x, y], 2, [1]);
      }
    for (const centre of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const)
      this.rings(centre, 4, [2, 4]);
    if (version >= 7) this.drawVersion();
  }

  drawVersion(): void {
    const { size, version } = this.layout;
    let rest = version;
    for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let at = 0; at < 18; at += 1) {
      const isDark = ((bits >>> at) & 1) === 1;
      const [near, far] = [size - 11 + (at % 3), Math.floor(at / 3)];
      this.fix(near, far, isDark);
      this.fix(far, near, isDark);
    }
  }

  drawFormat(mask: number): void {
    const { size } = this.layout;
    const format = (LEVEL_BITS << 3) | mask;
    let rest = format;
    for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((format << 10) | rest) ^ 0x5412;
    const bit = (at: number) => ((bits >>> at) & 1) === 1;
    for (let at = 0; at <= 5; at += 1) this.fix(8, at, bit(at));
    this.fix(8, 7, bit(6));
    this.fix(8, 8, bit(7));
    this.fix(7, 8, bit(8));
    for (let at = 9; at < 15; at += 1) this.fix(14 - at, 8, bit(at));
    for (let at = 0; at < 8; at += 1) this.fix(size - 1 - at, 8, bit(at));
    for (let at = 8; at < 15; at += 1) this.fix(8, size - 15 + at, bit(at));
    this.fix(8, size - 8, true);
  }

  /** Two columns at a time, upwards and downwards in turn, from the right; column 6 is the timing line. */
  drawContent(bytes: readonly number[]): void {
    const { size } = this.layout;
    let at = 0;
    let isUpward = true;
    for (let right = size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < size; step += 1) {
        const y = isUpward ? size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y]?.[x]) continue;
          (this.dark[y] as boolean[])[x] = (((bytes[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1;
          at += 1;
        }
      }
      isUpward = !isUpward;
    }
  }

  masked(mask: number): boolean[][] {
    this.drawFormat(mask);
    const flips = MASKS[mask] as (x: number, y: number) => boolean;
    return this.dark.map((row, y) => row.map((isDark, x) => (this.fixed[y]?.[x] ? isDark : isDark !== flips(x, y))));
  }
}

const lineText = (line: readonly boolean[]) => line.map((isDark) => (isDark ? '1' : '0')).join('');

/** How hard a drawing is to read (ISO/IEC 18004, 7.8.3): long runs, squares, what looks like a finder, uneven darkness. */
function penaltyOf(modules: Modules): number {
  const lines = [...modules, ...modules.map((_, x) => modules.map((row) => row[x] as boolean))].map(lineText);
  const runs = lines.flatMap((line) => line.match(/1{5,}|0{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
  const finders = lines.flatMap((line) => line.match(/(?=10111010000|00001011101)/g) ?? []).length * 40;
  let squares = 0;
  modules.forEach((row, y) =>
    row.forEach((isDark, x) => {
      const others = [row[x + 1], modules[y + 1]?.[x], modules[y + 1]?.[x + 1]];
      if (others.every((other) => other === isDark)) squares += 3;
    }),
  );
  const share = modules.flat().filter(Boolean).length / modules.length ** 2;
  return runs + finders + squares + Math.floor(Math.abs(share * 20 - 10)) * 10;
}

/** The QR code of a text, at error correction level L. @throws RangeError over 2953 bytes */
export function encodeQr(text: string): Modules {
  const bytes = new TextEncoder().encode(text);
  const drawing = new Drawing(chooseLayout(bytes.length));
  drawing.drawPatterns();
  drawing.drawFormat(0);
  drawing.drawContent(interleave(contentOf(bytes, drawing.layout), drawing.layout));
  const drawings = MASKS.map((_, mask) => drawing.masked(mask));
  const penalties = drawings.map(penaltyOf);
  return drawings[penalties.indexOf(Math.min(...penalties))] as Modules;
}
