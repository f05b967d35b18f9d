import { markdownTable } from './markdown-table';
import { readMeasured, withoutParts } from './measured';
import { renderResult } from './report';
import type { BenchResult, CheckoutResult, CostTable } from './result';

const cost = (milliseconds: number) => ({ milliseconds, normalised: milliseconds / 2 });
const table = (milliseconds: number): CostTable => ({
  processes: { verifier: cost(milliseconds) },
  all: cost(milliseconds + 1),
});
const flow = {
  cpu: table(6.5),
  cheapest: cost(5.25),
  wallets: cost(1.5),
  flowsPerSecond: 81.25,
  finished: 1_234,
  errors: { 'token: 503 service_timeout': 2 },
  steps: { token: { p50: 1.25, p99: 10 } },
};
const counted = { statements: 13, messages: 10, bytes: 2_826 };
const alone = { finished: 1_500, measured: { p50: 9, p99: 20 }, normalised: { p50: 6, p99: 14.25 } };
const checkout = (name: string): CheckoutResult => ({
  name,
  idle: table(33),
  firstMinute: table(77),
  flows: { presentation: { ...flow, errors: {} }, issuance: flow },
  residentBytes: { verifier: 150_000_000, gateway: 100_000_000, postgres: 50_000_000 },
  counts: { presentation: counted, issuance: counted },
  alone: { presentation: alone },
});
const result = (...names: readonly string[]): BenchResult => ({
  at: '2026-11-22T10:00:00.000Z',
  node: 'v20.20.2',
  cores: 2,
  nats: 'nats-server',
  load: { before: 0.5, after: 2 },
  verification: { before: 66.7, after: 67 },
  wallets: 32,
  replicas: 1,
  rounds: 5,
  secondsPerRound: 6,
  encrypted: false,
  oldRequests: 1_000_000,
  statusEntries: 0,
  checkouts: names.map(checkout),
});

describe('the report', () => {
  it('says on what it was measured, and what was in the tables beforehand', () => {
    const text = renderResult(result('this'));
    expect(text).toMatch(/2026-11-22 with Node v20\.20\.2 and .+, on 2 cores shared by all processes/);
    expect(text).toContain('1,000,000 finished requests of each kind');
    expect(text).not.toContain('status list.');
    expect(text).toContain('The load average was 0.5 before and 2.0 after');
  });

  it('says whether requests and answers were encrypted', () => {
    const sentence = 'Credential requests and their answers were encrypted.';
    expect(renderResult({ ...result('this'), encrypted: true })).toContain(sentence);
    expect(renderResult(result('this'))).not.toContain(sentence);
  });

  it('says one of a thing in the singular', () => {
    const one = { cores: 1, wallets: 1, rounds: 1, replicas: 1, oldRequests: 1, statusEntries: 1 };
    const text = renderResult({ ...result('this'), ...one });
    expect(text).toContain('on 1 core shared by all processes');
    expect(text).toContain('1 wallet, 1 round of 6.0 s per flow,\n1 process each of verifier and issuer.');
    expect(text).toContain('1 finished request of each kind in the tables and 1 entry taken in the status list.');
    expect(renderResult(result('this'))).toContain('32 wallets, 5 rounds of 6.0 s');
  });

  it('has both forms of milliseconds, counts, errors by name, steps, idle work and memory', () => {
    const text = renderResult(result('this'));
    for (const line of [
      /\| `verifier` +\| +6\.50 \| +3\.25 \|/,
      /\| all, in the cheapest round +\| +5\.25 \| +2\.63 \|/,
      /\| wallets and backend, not in all +\| +1\.50 \| +0\.75 \|/,
      /\| SQL statements +\| 13\.00 \|/,
      /\| bytes kept +\| 2,826 \|/,
      /\| errors +\| +2 \|/,
      /- this checkout: 2 times `token: 503 service_timeout`/,
      /\| token \| +1\.3 \| +10\.0 \|/,
      /\| `verifier` +\| 33\.00 \| +16\.50 \|/,
      /\| idle, the first minute after the start: CPU per second \|[^]+\| `verifier` +\| 77\.00 \| +38\.50 \|/,
      /\| `verifier` +\| 150 \|/,
      /\| all services +\| 250 \|/,
      /\| presentation +\| +9\.0 \| +20\.0 \| +6\.0 \| +14\.3 \| +1,500 \|/,
      /\| issuance +\| +- \| +- \| +- \| +- \| +0 \|/,
    ]) {
      expect(text).toMatch(line);
    }
  });

  it('has no first minute where an earlier version measured none', () => {
    const { firstMinute: _none, ...earlier } = checkout('this');
    expect(renderResult({ ...result(), checkouts: [earlier, checkout('other')] })).not.toContain('first minute');
  });

  it('has no row for what an earlier version did not measure', () => {
    const { cheapest: _cheapest, wallets: _wallets, ...earlier } = flow;
    const flows = { presentation: earlier, issuance: earlier };
    const text = renderResult({ ...result(), checkouts: [{ ...checkout('this'), flows }] });
    expect(text).not.toMatch(/cheapest|not in all/);
  });

  it('puts two checkouts beside each other, by name', () => {
    const text = renderResult(result('this', 'other'));
    expect(text).toContain('| this: ms | this: normalised ms | other: ms | other: normalised ms |');
  });

  it('has a dash where nothing could be measured', () => {
    const nothing = { ...flow, cpu: { processes: {}, all: cost(Number.NaN) }, flowsPerSecond: Number.NaN };
    const empty = { ...checkout('this'), flows: { presentation: nothing, issuance: nothing } };
    expect(renderResult({ ...result(), checkouts: [empty] })).toMatch(/\| all +\| +- \| +- \|/);
  });
});

describe('a recorded result', () => {
  it('is the same report, without the text of statements', () => {
    const parts = { parts: { statements: { 'SELECT 1': 1 } } };
    const [full] = result('this').checkouts as [CheckoutResult];
    const counts = { presentation: { ...counted, ...parts }, issuance: { ...counted, ...parts } };
    const text = withoutParts({ ...result('this'), checkouts: [{ ...full, counts }] });
    expect(text).not.toContain('SELECT');
    expect(renderResult(JSON.parse(text) as BenchResult)).toBe(renderResult(result('this')));
  });

  it('is there for the page', () => {
    expect(readMeasured(`${__dirname}/../../..`).checkouts.map(({ name }) => name)).toEqual(['this']);
  });
});

describe('a table', () => {
  it('has numbers on the right and texts on the left', () => {
    expect(
      markdownTable(
        ['name', 'ms'],
        [
          ['a', '1.5'],
          ['b', '10'],
        ],
      ),
    ).toBe(['| name |  ms |', '| ---- | --: |', '| a    | 1.5 |', '| b    |  10 |'].join('\n'));
  });
});
