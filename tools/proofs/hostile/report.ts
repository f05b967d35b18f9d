import type { Figures } from './measure';
import type { Seen } from './other-wallet';

const column = (text: string, width: number) => text.padStart(width);
const figure = (value: number, width: number) => column(value.toFixed(value < 10 ? 1 : 0), width);
const NAME_WIDTH = 20;
const ENDED_WIDTH = 48;

/** For the lines of {@link describeFigures}; all but the last three columns are normalised milliseconds. */
export const HEADINGS = [
  'answer'.padEnd(NAME_WIDTH),
  column('CPU', 7),
  column('verifier', 9),
  column('gateway', 8),
  column('stretch', 8),
  column('on the wall', 12),
  column('answered', 9),
  '  the request ended as'.padEnd(ENDED_WIDTH),
  '  another wallet: median, worst (flows, failed)',
].join('');

function describeSeen({ flows, medianMilliseconds, worstMilliseconds, failed }: Seen): string {
  const times = `${medianMilliseconds.toFixed(0)} ms, ${worstMilliseconds.toFixed(0)} ms`;
  return `  ${times} (${flows}, ${failed})`;
}

/** What the other wallet sees without hostile answers. */
export function describeBaseline(seen: Seen): string {
  return `${'(nobody hostile)'.padEnd(NAME_WIDTH)}${' '.repeat(53 + ENDED_WIDTH)}${describeSeen(seen)}`;
}

/** One line for one answer. */
export function describeFigures({ name, cpu, longest, longestWall, ...rest }: Figures): string {
  return [
    name.padEnd(NAME_WIDTH),
    figure(cpu.verifier + cpu.gateway, 7),
    figure(cpu.verifier, 9),
    figure(cpu.gateway, 8),
    figure(Math.max(longest.verifier, longest.gateway), 8),
    column(`${Math.max(longestWall.verifier, longestWall.gateway).toFixed(0)} ms`, 12),
    column(`${(rest.wallMilliseconds / 1000).toFixed(1)} s`, 9),
    `  ${rest.httpStatus} ${rest.ended}`.padEnd(ENDED_WIDTH),
    rest.other ? describeSeen(rest.other) : '',
  ].join('');
}
