import { CURRENT_NATS, type Fault } from './faults';
import type { Options } from './options';

/** The faults of a run, and the names of those that it leaves out because its NATS server is too old for their bounds. */
export interface ChosenFaults {
  readonly chosen: readonly Fault[];
  readonly leftOut: readonly string[];
}

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number);

/** Is this the version of a nats-server with which every bound can be met? The embedded broker has none. */
export function isCurrentNats(version: string | undefined): boolean {
  if (version === undefined) return false;
  const [have, wanted] = [numbersOf(version), numbersOf(CURRENT_NATS)];
  const differs = wanted.findIndex((number, index) => (have[index] ?? 0) !== number);
  return differs === -1 || (have[differs] ?? 0) > (wanted[differs] ?? 0);
}

/** Chooses by the options and by what the NATS server can do. */
export function chooseFaults(
  faults: readonly Fault[],
  { faults: choice, only }: Pick<Options, 'faults' | 'only'>,
  natsVersion: string | undefined,
): ChosenFaults {
  const asked = faults.filter(
    ({ isShort, name }) => choice !== 'none' && (choice === 'all' || isShort === true) && name.includes(only),
  );
  const canMeet = ({ needsCurrentNats }: Fault) => needsCurrentNats !== true || isCurrentNats(natsVersion);
  return { chosen: asked.filter(canMeet), leftOut: asked.filter((one) => !canMeet(one)).map(({ name }) => name) };
}

/** What a run says of the faults that it leaves out, and what to do about it; nothing if there are none. */
export function leftOutLines({ leftOut }: ChosenFaults, natsVersion: string | undefined): readonly string[] {
  if (leftOut.length === 0) return [];
  const server = natsVersion === undefined ? 'the embedded NATS' : `nats-server ${natsVersion}`;
  return [
    `NOT RUN: ${leftOut.length} faults, because ${server} goes on sending questions to connections that hang.`,
    `Put nats-server ${CURRENT_NATS} or newer first in PATH to run them:`,
    ...leftOut.map((name) => `  ${name}`),
  ];
}
