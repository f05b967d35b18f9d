import { openTerminal } from './terminal';
import { renderTerminalQr } from './terminal-qr';

function open() {
  const lines = { out: '', err: '' };
  const terminal = openTerminal({
    out: (text) => (lines.out += text),
    err: (text) => (lines.err += text),
  });
  return { ...terminal, lines };
}

/** A line as it is printed. */
function shown(text: string): string {
  const { print, lines } = open();
  print(text);
  return lines.out.slice(0, -1);
}

describe('what an operator is shown', () => {
  it.each([
    ['erases the line before', 'lost\u001B[1A\u001B[2Kok', String.raw`lost\u001b[1A\u001b[2Kok`],
    ['sets the title or the clipboard', '\u001B]52;c;cm0gLXJm\u0007', String.raw`\u001b]52;c;cm0gLXJm\u0007`],
    ['begins with the one-character form', '\u009B2J', String.raw`\u009b2J`],
    ['writes over the line', 'error\rok', String.raw`error\u000dok`],
    ['begins another line', 'a\nok\tverifier', 'a\\u000aok\tverifier'],
    ['is read from right to left', 'a\u202Etxt.exe', String.raw`a\u202etxt.exe`],
    ['ends a line for other programs', 'a\u2028b', String.raw`a\u2028b`],
    ['deletes', 'a\u007F', String.raw`a\u007f`],
  ])('obeys nothing that %s', (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('is the same in JSON', () => {
    const row = { subject: 'a\u009B2Jb\u202E', last_result: 'x\u001B[2J' };
    expect(JSON.parse(shown(JSON.stringify(row)))).toEqual(row);
  });

  it('keeps tabs, letters of all languages, and signs', () => {
    expect(shown('id\tZoë 東京 😀 a\u0301')).toBe('id\tZoë 東京 😀 a\u0301');
  });

  it('may have several lines where it is said about the work, each without commands', () => {
    const { report, lines } = open();
    report('first\u001B[2J\nsecond');
    expect(lines.err).toBe('first\\u001b[2J\nsecond\n');
  });

  it('has colours only where the command itself paints', () => {
    const { paint, lines } = open();
    const [line = ''] = renderTerminalQr('openid4vp://?a=b');
    paint(line);
    expect(lines.out).toBe(`${line}\n`);
    expect(line).toContain('\u001B[');
  });
});
