import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUDGET_FILE, judgeCounts, readBudget, type Budget } from './budget';
import type { FlowCounts } from './result';

const BUDGET: Budget = {
  presentation: { statements: 6, messages: 6, bytes: 2_900 },
  issuance: { statements: 13, messages: 10, bytes: 500 },
};
const counts = (changes: Partial<FlowCounts> = {}): FlowCounts => ({
  statements: 6,
  messages: 6,
  bytes: 2_886,
  ...changes,
});
const issuance = counts({ statements: 13, messages: 10, bytes: 496 });
const judged = (presentation: Partial<FlowCounts>) =>
  judgeCounts({ presentation: counts(presentation), issuance }, BUDGET);

describe('the budget of counts', () => {
  it('is kept by counts at or below it', () => {
    expect(judged({})).toEqual({ faults: [], hints: [] });
    expect(judged({ bytes: 2_900 })).toEqual({ faults: [], hints: [] });
  });

  it.each([
    ['statements', 6.05],
    ['statements', 7],
    ['messages', 8],
    ['bytes', 2_901],
  ] as const)('is broken by %s above it, which are named with what to do', (counted, value) => {
    const { faults } = judged({ [counted]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`presentation: ${value} ${counted} per flow`);
    expect(faults[0]).toContain('tools/proofs/bench/budget.json');
  });

  it('can be lowered where counts have fallen; bytes only by whole steps', () => {
    expect(judged({ statements: 5 }).hints).toEqual([expect.stringContaining('lowered to 5')]);
    expect(judged({ bytes: 2_885 }).hints).toEqual([]);
    expect(judged({ bytes: 2_875 }).hints).toEqual([expect.stringContaining('lowered to 2880')]);
  });

  it('judges each flow by its own bounds', () => {
    const swapped = { presentation: counts(), issuance: counts({ statements: 14, messages: 10, bytes: 496 }) };
    expect(judgeCounts(swapped, BUDGET).faults).toEqual([expect.stringContaining('issuance: 14 statements')]);
  });
});

describe('the file of the budget', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-budget-'));
  const write = (members: object) => {
    mkdirSync(path.join(folder, path.dirname(BUDGET_FILE)), { recursive: true });
    writeFileSync(path.join(folder, BUDGET_FILE), JSON.stringify(members));
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a bound for everything that is counted', () => {
    expect(Object.keys(readBudget(path.resolve(__dirname, '../../..')))).toEqual(['presentation', 'issuance']);
  });

  it.each([
    [{}],
    [{ presentation: BUDGET.presentation }],
    [{ ...BUDGET, issuance: { statements: 13, messages: 10 } }],
    [{ ...BUDGET, issuance: { ...BUDGET.issuance, bytes: '500' } }],
  ])('is refused without one: %j', (members) => {
    write(members);
    expect(() => readBudget(folder)).toThrow(expect.objectContaining({ code: 'budget_incomplete' }) as Error);
  });
});
