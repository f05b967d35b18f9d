import { DomainError } from '@vestibule/foundation';
import fc from 'fast-check';
import { DCQL_FAILURES, dcqlFailure, parseDcqlQuery, parseVpToken, type DcqlQuery } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

const entry = (id: string, multiple = false) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: ['v'] }, multiple });
function queryOf(...credentials: object[]): DcqlQuery {
  const result = parseDcqlQuery({ credentials });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.query;
}
const QUERY = queryOf(entry('pid'), entry('many', true));
const CANARY = 'Ms-Canary~';

function verdict(value: unknown, query = QUERY): string {
  try {
    parseVpToken(value, query);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.message).not.toContain('Canary');
    return error.code;
  }
}

describe('parseVpToken', () => {
  it.each<[title: string, value: unknown, code: string]>([
    ['VP:J1 an id that was not requested fails (jwe-unknown-id)', { [CANARY]: ['x~'] }, 'credential_not_requested'],
    ['VP:J1 one unknown id among known ones fails', { pid: ['x~'], x: ['x~'] }, 'credential_not_requested'],
    ['VP:J1 an inherited name was not requested', { toString: ['x~'] }, 'credential_not_requested'],
    ['VP:J2 VP:T2 a bare string is refused (jwe-vp_token-value-not-array)', { pid: CANARY }, 'presentations_malformed'],
    ['VP:J2 an empty array is refused (jwe-empty-array)', { pid: [] }, 'presentations_malformed'],
    ['VP:J2 an object is refused (jwe-vp_token-value-object)', { pid: { 0: CANARY } }, 'presentations_malformed'],
    ['VP:J2 null is refused (jwe-vp_token-value-null)', { pid: null }, 'presentations_malformed'],
    ['VP:I2 vp_token must not be a string (jwe-vp_token-string)', CANARY, 'vp_token_malformed'],
    ['VP:I2 vp_token must not be JSON in a string (jwe-vp_token-json-string)', '{"pid":["x~"]}', 'vp_token_malformed'],
    ['VP:I2 vp_token must not be an array', [CANARY], 'vp_token_malformed'],
    ['VP:I2 vp_token must not be null', null, 'vp_token_malformed'],
    ['VP:I2 vp_token must be there', undefined, 'vp_token_malformed'],
    [
      'VP:J3 two without multiple are refused (jwe-two-presentations)',
      { pid: [CANARY, CANARY] },
      'too_many_presentations',
    ],
    ['VP:J3 two with multiple are accepted', { pid: ['x~'], many: ['x~', 'y~'] }, 'accepted'],
    ['VP:J3 as many as the bound are accepted', { many: Array<string>(64).fill('x~') }, 'accepted'],
    [
      'VP:J3 there is a bound on all presentations together',
      { many: Array<string>(65).fill('x~') },
      'too_many_presentations',
    ],
    ['VP:J4 a number is no presentation', { pid: [1] }, 'presentation_malformed'],
    [
      'VP:J4 VP:J21 an object is no presentation, nested ones included',
      { pid: [{ pid: [CANARY] }] },
      'presentation_malformed',
    ],
    ['VP:J4 VP:J21 an array is no presentation', { pid: [[CANARY]] }, 'presentation_malformed'],
    ['VP:J4 null is no presentation', { pid: [null] }, 'presentation_malformed'],
    ['VP:J4 an empty string is no presentation', { pid: [''] }, 'presentation_malformed'],
    ['VP:J4 every element counts', { many: ['x~', 1] }, 'presentation_malformed'],
    ['VP:J15 an empty vp_token has the right shape', {}, 'accepted'],
    ['VP:J22 one presentation under two ids is accepted', { pid: ['x~'], many: ['x~'] }, 'accepted'],
  ])('%s', (_title, value, code) => {
    expect(verdict(value)).toBe(code);
  });

  it('VP:J1 ids that every object inherits are ids like any other', () => {
    const ids = ['__proto__', 'toString', 'constructor'];
    const token: unknown = JSON.parse('{"__proto__":["a~"],"toString":["b~"],"constructor":["c~"]}');
    const received = parseVpToken(token, queryOf(...ids.map((id) => entry(id))));
    expect([...received]).toEqual([
      ['__proto__', ['a~']],
      ['toString', ['b~']],
      ['constructor', ['c~']],
    ]);
  });

  it('VP:J2 presentations keep their order', () => {
    expect(parseVpToken({ many: ['b~', 'a~'] }, QUERY).get('many')).toEqual(['b~', 'a~']);
  });

  it('meets any value with a result or a typed error', () => {
    const ids = fc.constantFrom('pid', 'many', 'x', '__proto__');
    const values = fc.oneof(fc.array(fc.oneof(fc.string(), fc.jsonValue())), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(ids, values), fc.jsonValue(), fc.anything()), (value) => {
        expect(['accepted', ...Object.keys(DCQL_FAILURES)]).toContain(verdict(value));
      }),
    );
  });

  it('meets 100 KB of entries within 50 ms', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, []]));
    const milliseconds = fastestMilliseconds(() => {
      verdict(many);
      verdict({ many: Array<string>(30_000).fill('~') });
    });
    expect(milliseconds).toBeLessThan(50);
  });
});

describe('DCQL_FAILURES', () => {
  it('makes failures of kind denied that say section and remedy', () => {
    for (const code of Object.keys(DCQL_FAILURES) as (keyof typeof DCQL_FAILURES)[]) {
      expect(dcqlFailure(code)).toMatchObject({ kind: 'denied', code, section: expect.stringMatching(/§|appendix/) });
    }
  });
});
