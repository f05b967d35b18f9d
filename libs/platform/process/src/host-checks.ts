import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type Configuration, optionalVariable } from './configuration';
import type { Check } from './doctor';
import { finding, type Finding } from './doctor-findings';
import { measureClockAhead } from './network-time';
import { randomBytes } from './random-bytes';
import { textSetting } from './settings';

/** What only `vestibule doctor` reads. */
export const doctorVariables = {
  ntpServer: optionalVariable('NTP_SERVER', textSetting(), {
    category: 'Operations',
    description:
      'NTP server, `host` or `host:port`, with which `vestibule doctor` compares the clock; nothing else uses it',
  }),
};

/** How far the clocks of a deployment may be apart. */
export const CLOCK_MILLISECONDS = 2_000;
const NTP_MILLISECONDS = 3_000;
const NONCE_BYTES = 8;
const LEAST_FREE = 0.05;

/** How far this clock is ahead, in words. */
export const clockSentence = (milliseconds: number): string =>
  `this clock is ${Math.abs(milliseconds / 1000).toFixed(1)} s ${milliseconds < 0 ? 'behind' : 'ahead'}`;

/** Compares the clock with `NTP_SERVER`, if there is one. */
const networkTimeCheck: Check<Pick<Configuration<typeof doctorVariables>, 'ntpServer'>> = {
  name: 'clock and NTP',
  async run({ configuration: { ntpServer: server }, clock }) {
    if (server === undefined) return [];
    const nonce = Buffer.from(randomBytes(NONCE_BYTES));
    const ahead = await measureClockAhead({ server, clock, nonce, milliseconds: NTP_MILLISECONDS });
    if (ahead === undefined) return [finding('ntp_unanswered', server)];
    if (Math.abs(ahead) <= CLOCK_MILLISECONDS) return [];
    return [finding('clock_differs_from_ntp', `${clockSentence(ahead)} of ${server}`)];
  },
};

/** The free part of the disk of a folder, between 0 and 1. */
export type FreePart = (folder: string) => Promise<number>;

const readFreePart: FreePart = async (folder) => {
  const { bavail, blocks } = await statfs(folder);
  return blocks === 0 ? 1 : bavail / blocks;
};

/** Is there room on the disks that this process sees? */
export const diskCheck = (freePart: FreePart = readFreePart): Check<unknown> => ({
  name: 'disk',
  async run() {
    const found: Finding[] = [];
    for (const folder of new Set([process.cwd(), tmpdir()])) {
      const free = await freePart(folder);
      if (free < LEAST_FREE) found.push(finding('disk_nearly_full', `${folder} has ${(free * 100).toFixed(1)} % free`));
    }
    return found;
  },
});

/** What is checked of every process. */
export const HOST_CHECKS = [networkTimeCheck, diskCheck()] as const;
