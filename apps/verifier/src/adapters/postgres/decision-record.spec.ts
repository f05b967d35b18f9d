import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createCheckLog, parseResponseForm, type CheckEntry } from '@vestibule/oid4vp';
import { SD_JWT_FAILURES } from '@vestibule/sd-jwt-vc';
import fc from 'fast-check';
import { judgeDeps, judgeOver } from '../../testing/judge.fixture-spec';
import { answerForm, createWorld, NOW, pendingRequest, STATUS, type World } from '../../testing/verifier.fixture-spec';
import { decodeDecisionRecord, encodeDecisionRecord } from './decision-record';

const passed = (check: string, section: string, more: Partial<CheckEntry> = {}): CheckEntry => ({
  check,
  section,
  outcome: 'passed',
  milliseconds: 0.123,
  ...more,
});
const signature = (more: Partial<CheckEntry> = {}) =>
  passed('issuer_signature', 'RFC 9901 §7.1', { credential: 'pid', ...more });
const { section, remedy } = SD_JWT_FAILURES.expired;
const EXPIRED = { outcome: 'failed', code: 'expired', section, remedy } as const;
const dcql = (more: Partial<CheckEntry>) => passed('dcql', 'OpenID4VP 1.0 §8.6', more);

/** The entries of a request whose wallet presents one credential; each check takes the given time. */
async function recordOf(world: World, milliseconds: number, credential: object): Promise<readonly CheckEntry[]> {
  let now = 0;
  const checks = createCheckLog(() => (now += milliseconds));
  const request = pendingRequest();
  const form = parseResponseForm(await answerForm(world, request, 'cross-device', credential), request.state);
  await judgeOver(judgeDeps(world))({ request, form, checks, now: NOW, millisecondsLeft: 12_000 });
  return checks.entries;
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

describe('a decision record', () => {
  it('of a presentation takes a tenth of its JSON or less, and is read as it was', async () => {
    const entries = await recordOf(world, 0.765, { status: STATUS });
    const text = encodeDecisionRecord(entries);
    expect(entries.length).toBeGreaterThanOrEqual(12);
    expect(decodeDecisionRecord(text)).toEqual(entries);
    expect(text).not.toContain('{');
    expect(Buffer.byteLength(text)).toBeLessThan(80);
    expect(Buffer.byteLength(text) * 10).toBeLessThan(JSON.stringify(entries).length);
  });

  it('of a refused presentation names the failure by its code, and shows rule and remedy', async () => {
    const entries = await recordOf(world, 0.001, { iat: 1, exp: 2 });
    const text = encodeDecisionRecord(entries);
    expect(entries.at(-1)).toMatchObject({ outcome: 'failed', code: 'expired', remedy: expect.any(String) as string });
    expect(text).toMatch(/!expired$/);
    expect(text).not.toContain(entries.at(-1)?.remedy);
    expect(decodeDecisionRecord(text)).toEqual(entries);
  });

  it('keeps counts, notes and durations, each with its credential', () => {
    const entries = [
      dcql({ surplusClaims: 40, surplusCredentials: 2, milliseconds: 0 }),
      dcql({ surplusClaims: 0 }),
      signature(),
      signature({ credential: 'second_id-2', milliseconds: 12_345.678 }),
      passed('status', 'Token Status List §8.3', { credential: 'pid', note: 'status_list_past_ttl' }),
      dcql({}),
    ];
    const text = encodeDecisionRecord(entries);
    expect(text.split('\n')).toEqual([
      '1',
      ' M0+14*2M3f+0',
      'pid F3f',
      'second_id-2 F7clzi',
      'pid N3f~status_list_past_ttl',
      ' M3f',
    ]);
    expect(decodeDecisionRecord(text)).toEqual(entries);
  });

  it('without entries is not the absence of a record', () => {
    expect(decodeDecisionRecord(encodeDecisionRecord([]))).toEqual([]);
  });

  it.each<[string, CheckEntry]>([
    ['an unknown check', passed('planted', 'RFC 9901 §7.1')],
    ['another rule than that of the check', signature({ section: 'RFC 9901 §4' })],
    ['a failure without a code', signature({ outcome: 'failed' })],
    ['a check that passed with a code', signature({ code: 'expired' })],
    [
      'a code that no table explains',
      signature({ outcome: 'failed', code: 'internal_error', remedy: 'search the log' }),
    ],
    ['another remedy than that of the code', signature({ ...EXPIRED, remedy: 'ask' })],
    ['a code in another spelling', signature({ outcome: 'failed', code: 'Expired!' })],
    ['a note that is no code', signature({ note: 'past its ttl' })],
    ['a name that is no credential id', signature({ credential: 'pid\nB1' })],
    ['an empty name', signature({ credential: '' })],
    ['a duration below a microsecond', signature({ milliseconds: 0.000_5 })],
    ['a negative duration', signature({ milliseconds: -1 })],
    ['half a count', dcql({ surplusClaims: 1.5 })],
  ])('that is unusual is kept in full, among usual ones: %s', (_name, entry) => {
    const entries = [signature(), entry, signature()];
    const lines = encodeDecisionRecord(entries).split('\n');
    expect(lines).toEqual(['1', 'pid F3f', expect.stringMatching(/^\{.*\}$/) as string, 'pid F3f']);
    expect(decodeDecisionRecord(lines.join('\n'))).toEqual(entries);
  });

  it('of any entries is read as it was, and can be stored as text', () => {
    const word = fc.constantFrom('expired', 'status_expired', 'response_not_json', 'a b', 'Ä', '');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('pid', 'a-b_c', '1', 'A1'), word);
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const entry = fc
      .record({
        check: fc.oneof(text, fc.constantFrom('dcql', 'status', 'validity', 'response', 'callback')),
        section: fc.oneof(text, fc.constantFrom('OpenID4VP 1.0 §8.6', 'Token Status List §8.3', 'RFC 7519 §4.1')),
        outcome: fc.constantFrom('passed' as const, 'failed' as const),
        milliseconds: fc.oneof(
          fc.nat().map((n) => n / 1000),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
        ),
        credential: optional(text),
        surplusClaims: optional(fc.oneof(fc.nat(), fc.integer())),
        surplusCredentials: optional(fc.nat()),
        code: optional(word),
        remedy: optional(text),
        note: optional(text),
      })
      .map((made) => JSON.parse(JSON.stringify(made)) as CheckEntry);
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const stored = encodeDecisionRecord(entries);
        expect(stored).not.toContain('\0');
        expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored);
        expect(decodeDecisionRecord(stored)).toEqual(entries);
      }),
    );
  });

  it('of a newer version shows its new checks by their letters', () => {
    expect(decodeDecisionRecord('1\npid F3fZ1')).toEqual([
      signature(),
      {
        check: 'check Z',
        section: 'known to newer versions',
        credential: 'pid',
        outcome: 'passed',
        milliseconds: 0.001,
      },
    ]);
    expect(decodeDecisionRecord('1\n Z1!new_code')).toMatchObject([{ outcome: 'failed', code: 'new_code' }]);
  });

  it.each(['', '2\n F1', '1\nF1', '1\n F', '1\n F1!', '1\n F1 F1', '1\n f1', '1\n F1+', '1\n{"check"', '1\n\n F1'])(
    'in no known form is an error: %j',
    (text) => {
      expect(() => decodeDecisionRecord(text)).toThrow();
    },
  );
});

/** The names and rules of checks in the sources below a folder. */
function checksIn(folder: string): CheckEntry[] {
  const NAMED = /(?:check: |name\()'(\w+)',\s*(?:section: )?'([^']+)'/g;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!spec)\.ts$/.test(file),
  );
  const sources = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  return sources.flatMap((source) =>
    [...source.matchAll(NAMED)].map(([, check = '', rule = '']) => passed(check, rule)),
  );
}

describe('the letters of checks', () => {
  const root = path.resolve(__dirname, '../../../../..');
  const all = ['libs/core/oid4vp/src', 'apps/verifier/src'].flatMap((folder) => checksIn(path.join(root, folder)));
  const isShort = (entry: CheckEntry) => !encodeDecisionRecord([entry]).includes('{');

  it('exist for each check in the sources', () => {
    expect(new Set(all.map(({ check }) => check)).size).toBe(19);
    expect(all.filter((entry) => !isShort(entry) && entry.section !== 'Token Status List §11.4')).toEqual([]);
    expect(isShort(passed('planted', 'RFC 9901 §4'))).toBe(false);
  });

  it('stay what they are in stored records', () => {
    const first = [...'ABCDEFGHIJKLMNOPQRS'];
    const names = decodeDecisionRecord(`1\n ${first.map((letter) => `${letter}1`).join('')}`).map(({ check }) => check);
    expect(names).toEqual([
      'response',
      'vp_token',
      'sd_jwt_structure',
      'issuer_certificate_chain',
      'issuer_metadata',
      'issuer_signature',
      'disclosures',
      'issuer_trust',
      'validity',
      'key_binding',
      'status_reference',
      'transaction_data',
      'dcql',
      'status',
      'certificate_revocation',
      'issuer_metadata_document',
      'callback',
      'sca_evidence',
      'vct_subtype',
    ]);
  });
});
