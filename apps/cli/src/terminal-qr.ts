import { encode } from 'uqr';

/** The quiet zone that readers need around a symbol, in modules (ISO/IEC 18004, 4 on each side). */
const QUIET_ZONE = 4;
/** Black on white whatever the colours of the terminal are, and back to them at the end of the line. */
const [ON, OFF] = ['\u001B[38;5;16;48;5;231m', '\u001B[0m'];

/** The character for two modules, one above the other. */
function glyph(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}

/** The bytes that fit into the largest symbol with error correction level L (ISO/IEC 18004, version 40). */
export const QR_BYTES = 2953;

/**
 * A QR code for a terminal: the lines to print, each two modules high. `text` has at most {@link QR_BYTES} bytes of
 * UTF-8.
 */
export function renderTerminalQr(text: string): readonly string[] {
  const { data } = encode(text, { ecc: 'L', border: QUIET_ZONE });
  const rows = [...data, ...(data.length % 2 === 0 ? [] : [data[0]?.map(() => false) ?? []])];
  const lines: string[] = [];
  for (let row = 0; row < rows.length; row += 2) {
    const [upper = [], lower = []] = [rows[row], rows[row + 1]];
    lines.push(`${ON}${upper.map((dark, column) => glyph(dark, lower[column] ?? false)).join('')}${OFF}`);
  }
  return lines;
}
