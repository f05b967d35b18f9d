import { ProcessingFailure } from '@vestibule/foundation';
import { defineConfiguration, variable } from './configuration';
import { examine, type Check } from './doctor';
import { finding, FINDINGS, plainRemedy } from './doctor-findings';
import { diskCheck } from './host-checks';
import { logLevelSetting, textSetting } from './settings';

const definition = defineConfiguration({
  logLevel: variable('LOG_LEVEL', logLevelSetting(), { category: 'Log', description: '', default: 'info' }),
  key: variable('SOME_KEY', textSetting(), { category: 'Keys', description: '', secret: true }),
});
const CANARY = 'canary-secret-value';
const clock = () => new Date(0);

const run = (checks: readonly Check<unknown>[], environment: Record<string, string> = { SOME_KEY: CANARY }) =>
  examine({ configuration: definition, checks }, environment, clock);

describe('the doctor', () => {
  it('makes a finding of what a check throws or logs, and goes on', async () => {
    const results = await run([
      {
        name: 'refused',
        errors: { seal_broken: { remedy: 'see [errors.md](errors.md)' } },
        run: () => {
          throw new ProcessingFailure('seal_broken', 'a record does not open', new Error(CANARY));
        },
      },
      {
        name: 'broken',
        run: () => Promise.reject(new TypeError(CANARY)),
      },
      {
        name: 'warned',
        run: ({ logger }) => {
          logger.warn('this is odd', { file: 'x', error: new Error(CANARY) });
          return [];
        },
      },
      { name: 'sound', run: () => [] },
    ]);
    expect(results.slice(1)).toEqual([
      {
        check: 'refused',
        level: 'error',
        code: 'seal_broken',
        about: 'a record does not open',
        remedy: 'see docs/errors.md',
      },
      expect.objectContaining({ check: 'broken', code: 'check_failed', about: 'TypeError' }),
      expect.objectContaining({ check: 'warned', code: 'start_warning', about: 'this is odd (file: x)' }),
      { check: 'sound', level: 'ok', about: 'nothing to say' },
    ]);
    expect(JSON.stringify(results)).not.toContain(CANARY);
  });

  it('says of a wrong configuration all that is wrong with it, and checks nothing else', async () => {
    const never: Check<unknown> = { name: 'never', run: () => [finding('check_failed', 'ran')] };
    const results = await run([never], { LOG_LEVEL: 'loud' });
    expect(results.map(({ check, code, about }) => [check, code, about.split(' ')[0]])).toEqual([
      ['configuration', 'configuration_invalid', 'LOG_LEVEL'],
      ['configuration', 'configuration_invalid', 'SOME_KEY'],
    ]);
  });

  it('finds a disk that is nearly full', async () => {
    const check = (free: number) => run([diskCheck(() => Promise.resolve(free))]);
    expect((await check(0.049)).some(({ code }) => code === 'disk_nearly_full')).toBe(true);
    expect((await check(0.051)).some(({ code }) => code === 'disk_nearly_full')).toBe(false);
  });

  it('has a remedy for everything that it finds, in words for a terminal', () => {
    for (const { remedy } of Object.values(FINDINGS)) expect(plainRemedy(remedy)).toMatch(/^[^`[\]]{5,}$/);
    expect(plainRemedy('see [trust](trust.md#a) and [b.md](b.md#c)')).toBe(
      'see trust (docs/trust.md#a) and docs/b.md#c',
    );
  });
});
