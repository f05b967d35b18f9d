import type { Host } from './command';

/** What a terminal would obey instead of showing it, and what changes the order in which text is read; not tabs. */
const COMMANDING = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/g;

const written = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A line as it may be shown, although parts of it are untrusted. Written as JSON does it, so that a line of JSON means the same. */
const visible = (line: string): string => line.replaceAll(COMMANDING, written);

/** Where text goes: results, and what is said about the work. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * The output of the command. Names, reasons and answers come from other programs, and these may repeat untrusted input:
 * none of it may erase lines, move the cursor or fill the clipboard of an operator. What is reported may have several lines.
 */
export function openTerminal({ out, err }: Streams): Pick<Host, 'print' | 'paint' | 'report'> {
  return {
    print: (line) => out(`${visible(line)}\n`),
    paint: (text) => out(`${text}\n`),
    report: (text) => err(`${text.split('\n').map(visible).join('\n')}\n`),
  };
}
