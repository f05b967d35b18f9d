import jsQr from 'jsqr';
import { QR_BYTES, renderTerminalQr } from './terminal-qr';

const GLYPHS: Readonly<Record<string, readonly [boolean, boolean]>> = {
  ' ': [false, false],
  '▀': [true, false],
  '▄': [false, true],
  '█': [true, true],
};
const SCALE = 4;

/** What a reader of another library sees on the screen. */
function scan(lines: readonly string[]): string | undefined {
  const rows = lines.flatMap((line) => {
    const cells = [...line.replaceAll(/\u001B\[[\d;]*m/g, '')].map((character) => GLYPHS[character] ?? [false, false]);
    return [cells.map(([upper]) => upper), cells.map(([, lower]) => lower)];
  });
  const [width, height] = [(rows[0]?.length ?? 0) * SCALE, rows.length * SCALE];
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let index = 0; index < width * height; index += 1) {
    const dark = rows[Math.floor(index / width / SCALE)]?.[Math.floor((index % width) / SCALE)] ?? false;
    pixels.set([dark ? 0 : 255, dark ? 0 : 255, dark ? 0 : 255, 255], index * 4);
  }
  return jsQr(pixels, width, height)?.data;
}

describe('a QR code on a terminal', () => {
  it.each([
    [
      'an offer',
      'openid-credential-offer://?credential_offer_uri=http%3A%2F%2F127.0.0.1%3A8080%2Foidc4vci%2Foffers%2Fx',
    ],
    ['a request', `openid4vp://?client_id=x509_hash%3A${'A'.repeat(43)}&request_uri=https%3A%2F%2Fwallets.example`],
    ['one letter', 'a'],
  ])('is read by another library: %s', (_, text) => {
    expect(scan(renderTerminalQr(text))).toBe(text);
  });

  it('may have as many bytes as the largest symbol', () => {
    const text = 'x'.repeat(QR_BYTES);
    expect(renderTerminalQr(text)).toHaveLength((177 + 8 + 1) / 2);
    expect(() => renderTerminalQr(`${text}x`)).toThrow();
  });
});
