/** @jest-environment ./tools/jest-context-environment.cjs */
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { readIssuerKeyOf } from '../../testing/issuer-key.fixture-spec';
import { ISSUER, NOW, TYPES } from '../../testing/issuer.fixture-spec';
import type { LoadedIssuer } from '../files/type-metadata-folder';
import { issuerKeysOf } from './issuer-keys';
import {
  createShorteningReport,
  watchIssuerKeys,
  type OwnedLists,
  type WatchIssuerKeysOptions,
} from './watch-issuer-keys';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const later = (days: number) => new Date(NOW.getTime() + days * DAY);
const ENDS_SOON = 'the issuer certificate expires soon';
const ENDED = 'the issuer certificate is not valid: nothing can be issued';
const SHORTENED = 'the certificates of the issuer expire before the validity of a credential type ends';

/** When each certificate of an issuer ends, in days; the root only where it is in the file. */
interface Ends {
  readonly leaf?: number;
  readonly intermediate?: number;
  readonly root?: number;
}

async function keyOf({ leaf = 900, intermediate = 900, root }: Ends) {
  const top: Authority = await createCertificateAuthority({ name: 'Root', now: NOW, notAfter: later(root ?? 900) });
  const authority = await top.issueAuthority({ name: 'CA', notAfter: later(intermediate) });
  const issued = await authority.issue({ name: 'Issuer', notAfter: later(leaf) });
  const file = [issued, authority, ...(root === undefined ? [] : [top])].map(({ certificate }) => certificate);
  return readIssuerKeyOf(toPem(file), issued.privateKey);
}

interface Line {
  readonly day: number;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

let closing: (() => Promise<void>)[] = [];
beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
  jest.useRealTimers();
});

/** Watches keys for some days; `clockError` is what the clock is wrong by at each look. */
async function watch(
  { current, retired = [] }: { current: Ends; retired?: readonly Ends[] },
  days: number,
  {
    access = undefined as WatchIssuerKeysOptions['access'],
    clockError = (): number => 0,
    owners = () => [] as OwnedLists[] | Promise<never>,
  } = {},
): Promise<Line[]> {
  jest.setSystemTime(NOW);
  const lines: Line[] = [];
  const clock = () => new Date(Date.now() + clockError());
  const note = (text: string, fields = {}) =>
    void lines.push({ day: Math.floor((Date.now() - NOW.getTime()) / DAY), text, fields });
  const logger = { debug: note, info: note, warn: note, error: note };
  const keys = issuerKeysOf(await keyOf(current), await Promise.all(retired.map(keyOf)));
  const watch = await watchIssuerKeys({
    keys,
    access,
    types: { types: TYPES, issuers: [{ identity: ISSUER } as LoadedIssuer] },
    findOwners: async () => owners(),
    reportShortened: createShorteningReport(logger, clock),
    clock,
    logger,
  });
  closing.push(() => watch.stop());
  for (let hour = 0; hour < days * 24 - 1; hour += 1) await jest.advanceTimersByTimeAsync(HOUR);
  return lines;
}

const daysOf = (lines: readonly Line[], text: string) =>
  lines.filter((line) => line.text === text).map(({ day }) => day);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

describe('VCI:V9 the end of the issuer certificate', () => {
  it.each<readonly [string, Ends]>([
    ['the leaf', { leaf: 40 }],
    ['an intermediate before the leaf', { leaf: 60, intermediate: 40 }],
    ['a root in the file before both', { leaf: 60, intermediate: 50, root: 40 }],
  ])('of %s is warned of each day from 30 days before it, then it is an error each day', async (_what, current) => {
    const lines = await watch({ current }, 45);
    expect(daysOf(lines, ENDS_SOON)).toEqual(range(10, 40));
    expect(new Set(daysOf(lines, ENDED))).toEqual(new Set(range(40, 45)));
    const warnings = lines.filter(({ text }) => text === ENDS_SOON);
    for (const { fields } of warnings) expect(fields['endsAt']).toBe(later(40).toISOString());
    expect(warnings.map(({ fields }) => fields['daysLeft'])).toEqual(range(0, 30).reverse());
  });

  it('is warned of each day, though the clock is set back a little each time', async () => {
    let looks = 0;
    const clockError = () => -(looks++ % 2) * 1_500;
    const lines = await watch({ current: { leaf: 20 } }, 10, { clockError });
    expect(new Set(daysOf(lines, ENDS_SOON))).toEqual(new Set(range(0, 10)));
  });

  it('is warned of while the database is away', async () => {
    const owners = () => Promise.reject(new Error('the database is away'));
    const watching = watch({ current: { leaf: 20 } }, 3, { owners: owners as () => Promise<never> });
    await expect(watching).rejects.toThrow('the database is away');
    let isAway = false;
    const later3 = await watch({ current: { leaf: 20 } }, 3, {
      owners: () => (isAway ? owners() : ((isAway = true), [])) as Promise<never>,
    });
    expect(new Set(daysOf(later3, ENDS_SOON))).toEqual(new Set([0, 1, 2]));
  });

  it('is not warned of for retired keys that end soon or have ended, nor for a current one that lives long', async () => {
    const retired = [{ leaf: 5 }, { leaf: 20, intermediate: 3 }, { leaf: 1 }];
    const lines = await watch({ current: { leaf: 400 }, retired }, 10);
    expect([...daysOf(lines, ENDS_SOON), ...daysOf(lines, ENDED)]).toEqual([]);
    const needless = lines.filter(({ text }) => text === 'a retired issuer key is no longer needed');
    expect(needless).toHaveLength(10 * retired.length);
  });

  it('VCI:V3 is over in its last hour, when no credential could end at a full hour any more', async () => {
    const key = await keyOf({ root: 40 });
    const end = later(40).getTime();
    const lastHour = Math.floor(end / HOUR) * HOUR;
    expect([key.mayIssueAt(new Date(lastHour - 1)), key.mayIssueAt(new Date(lastHour))]).toEqual([true, false]);
    // A root that has ended is no reason to stop signing lists: who still trusts it decides that.
    expect(key.isValidAt(new Date(end + 1))).toBe(true);
    expect(key.chainEndsAt).toEqual(later(40));
  });
});

describe('the access certificate of the issuer', () => {
  it('is warned of each day from 30 days before its end, then it is an error each day', async () => {
    const access = { endsAt: () => later(33), isValidAt: (now: Date) => now <= later(33) };
    const lines = await watch({ current: { leaf: 400 } }, 35, { access });
    expect(daysOf(lines, 'the access certificate of the issuer expires soon')).toEqual(range(3, 33));
    const ended = 'the access certificate of the issuer is not valid: its metadata cannot be signed';
    expect(new Set(daysOf(lines, ended))).toEqual(new Set([33, 34]));
  });
});

describe('EU:M2 lists of an issuer identifier that is not configured', () => {
  it('are an error each day', async () => {
    const owners = () => [{ x5c: [], endsAt: later(10), lists: 1, issuers: ['', 'gone'] }];
    const lines = await watch({ current: { leaf: 400 } }, 3, { owners });
    const gone = lines.filter(({ text }) => text.startsWith('status lists of an issuer that is not configured'));
    expect(gone.map(({ day, fields }) => [day, fields])).toEqual([0, 1, 2].map((day) => [day, { issuer: 'gone' }]));
  });
});

describe('VCI:V9 a validity that the chain cuts', () => {
  it('is in the log at the start, and then each day, for each type that it concerns', async () => {
    const lines = await watch({ current: { leaf: 300 } }, 3);
    expect(daysOf(lines, SHORTENED)).toEqual([]);
    const short = await watch({ current: { leaf: 3 } }, 3);
    expect(new Set(daysOf(short, SHORTENED))).toEqual(new Set([2]));
    const shorter = await watch({ current: { intermediate: 0.5 } }, 2);
    const first = shorter.filter(({ text, day }) => text === SHORTENED && day === 0);
    expect(first.map(({ fields }) => fields['configurationId']).sort()).toEqual([...TYPES.keys()].sort());
  });
});
