import fc from 'fast-check';
import jsQR from 'jsqr';
import { encodeQr, type Modules } from './qr';

const SCALE = 3;
const BORDER = 4;

/** Reads the code as a camera would: dark on white, with a quiet zone. */
function scan(modules: Modules): string | undefined {
  const width = (modules.length + 2 * BORDER) * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  modules.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (!isDark) return;
      for (let at = 0; at < SCALE * SCALE; at += 1) {
        const left = (x + BORDER) * SCALE + (at % SCALE);
        const top = (y + BORDER) * SCALE + Math.floor(at / SCALE);
        pixels.fill(0, (top * width + left) * 4, (top * width + left) * 4 + 3);
      }
    }),
  );
  return jsQR(pixels, width, width)?.data;
}

describe('21.6 a QR code of the front-end kit', () => {
  it.each([0, 1, 17, 18, 78, 106, 154, 230, 271, 400, 586, 858, 1_273, 1_732, 2_000])(
    'of %i bytes is read as what it is',
    (length) => {
      const text = `openid4vp://?${'client_id=x509_hash%3A'.repeat(100)}`.slice(0, length);
      expect(scan(encodeQr(text)) ?? '').toBe(text);
    },
  );

  it('of any text is read as that text', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(text, (content) => expect(scan(encodeQr(content))).toBe(content)),
      { numRuns: 15 },
    );
  });

  it('is as large as the standard says, up to its last version', () => {
    expect(encodeQr('x'.repeat(17))).toHaveLength(21);
    expect(encodeQr('x'.repeat(18))).toHaveLength(25);
    expect(encodeQr('x'.repeat(2_953))).toHaveLength(177);
    expect(() => encodeQr('x'.repeat(2_954))).toThrow(RangeError);
  });
});
