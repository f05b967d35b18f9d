import { type Readable } from 'node:stream';

/** The last lines of a process's output, kept for the message when it fails. */
export interface LastLines {
  readonly lines: () => readonly string[];
}

/**
 * Reads text streams line by line: keeps the newest `limit` lines (each at most 2,000 characters, so that a process out
 * of control cannot fill the memory) and passes every line to `onLine`.
 */
export function collectLines(
  streams: readonly (Readable | null)[],
  limit: number,
  onLine: (line: string) => void = () => undefined,
): LastLines {
  const kept: string[] = [];
  const add = (line: string) => {
    kept.push(line.slice(0, 2000));
    if (kept.length > limit) kept.shift();
    onLine(line);
  };
  for (const stream of streams) {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) add(line);
      if (rest.length > 1_000_000) {
        add(rest);
        rest = '';
      }
    });
    stream?.on('end', () => {
      if (rest !== '') add(rest);
    });
  }
  return { lines: () => kept };
}
