import { failureFamily, ProcessingFailure } from '@vestibule/foundation';
import { createCheckLog } from './checks';

const fail = failureFamily({ expired: { section: 'RFC 7519 §4.1.4', meaning: 'too old', remedy: 'renew it' } });

describe('createCheckLog', () => {
  it('records what passed, what failed, its rule, its remedy and the time it took', async () => {
    let time = 0;
    const log = createCheckLog(() => (time += 2));
    expect(log.run({ check: 'first', section: 'A' }, () => 7)).toBe(7);
    expect(() =>
      log.run({ check: 'second', section: 'B', credential: 'pid' }, () => {
        throw fail('expired');
      }),
    ).toThrow();
    await expect(
      log.runAsync({ check: 'third', section: 'C' }, () => Promise.reject(new Error('secret'))),
    ).rejects.toThrow();
    expect(log.entries).toEqual([
      { check: 'first', section: 'A', outcome: 'passed', milliseconds: 2 },
      {
        check: 'second',
        section: 'RFC 7519 §4.1.4',
        credential: 'pid',
        outcome: 'failed',
        milliseconds: 2,
        code: 'expired',
        remedy: 'renew it',
      },
      {
        check: 'third',
        section: 'C',
        outcome: 'failed',
        milliseconds: 2,
        code: 'internal_error',
        remedy: 'search the log of the verifier for the request',
      },
    ]);
  });

  it('says what to do about what could not be had, by the table or by the log', async () => {
    const log = createCheckLog(() => 0);
    const failing = (error: Error) => log.runAsync({ check: 'status', section: 'A' }, () => Promise.reject(error));
    await expect(
      failing(new ProcessingFailure('judgement_timeout', 'not in time', undefined, 'wait')),
    ).rejects.toThrow();
    await expect(failing(new ProcessingFailure('seal_broken', 'broken'))).rejects.toThrow();
    expect(log.entries.map(({ section, code, remedy }) => [section, code, remedy])).toEqual([
      ['A', 'judgement_timeout', 'wait'],
      ['A', 'seal_broken', 'search the log of the verifier for the request'],
    ]);
  });
});
