import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  contractMapPage,
  demandFaults,
  findDemandTitles,
  readDemands,
  renderContractMap,
  type Demand,
} from './docs/contract-map';
import { CONTRACT_IDS, titlesOfSource, type TestTitle } from './docs/spec-map-titles';
import fullRunTests from './full-run-tests.cjs';

const root = path.resolve(__dirname, '..');
const PAGE = 'docs/contract-map.md';

const demand = (id: string): Demand => ({ id, demand: 'It holds: `a|b`.', section: '1. One' });
const titled = (id: string, file = 'e2e/src/a.e2e-spec.ts', title = 'holds'): TestTitle => ({ id, file, title });

describe('the demands of the contract', () => {
  const demands = readDemands(root).flatMap((list) => list.demands);

  it('each have a test through HTTP, which npm test runs, and no test names another one', () => {
    const titles = findDemandTitles(root);
    expect(demandFaults(demands, titles)).toEqual([]);
    const usual = titles.filter(({ file }) => !Object.hasOwn(fullRunTests, file));
    expect(demandFaults(demands, usual)).toEqual([]);
  });

  it('are told in one sentence each, in the order of the contract', () => {
    expect(demands.length).toBeGreaterThan(250);
    expect(demands.filter((one) => !/^\S.*\.$/.test(one.demand)).map(({ id }) => id)).toEqual([]);
    const places = demands.map(({ id }) => id.split(/[:.]/));
    const numbers = places.map(([list, ...rest]) => [list === 'C' ? 0 : 1, ...rest.map(Number)]);
    const value = ([list = 0, section = 0, place = 0]: readonly number[]) => list * 1e6 + section * 1e3 + place;
    expect(numbers.map(value)).toEqual(numbers.map(value).sort((one, other) => one - other));
    expect(demands.filter(({ id, section }) => !section.startsWith(`${id.split(/[:.]/)[1]}. `))).toEqual([]);
  });

  it('are on the page: otherwise run "npm run docs"', () => {
    const rowsOf = (page: string) => page.split('\n').filter((line) => line.startsWith('| `'));
    const rows = rowsOf(readFileSync(path.join(root, PAGE), 'utf8'));
    expect(rows).toEqual(rowsOf(contractMapPage(root)));
    expect(rows).toHaveLength(demands.length);
  });
});

describe('a fault between demands and tests', () => {
  it('is a demand without a test', () => {
    expect(demandFaults([demand('C:1.1')], [])).toEqual(['C:1.1: has no test']);
    expect(demandFaults([demand('C:1.1')], [titled('C:1.1')])).toEqual([]);
    // Another demand, although it begins alike.
    expect(demandFaults([demand('C:1.1'), demand('C:1.10')], [titled('C:1.10')])).toEqual(['C:1.1: has no test']);
  });

  it('is a demand that is listed twice', () => {
    expect(demandFaults([demand('C:1.1'), demand('C:1.1')], [titled('C:1.1')])).toEqual(['C:1.1: is listed twice']);
  });

  it('is a test of a demand that is not listed, or that lost its number', () => {
    expect(demandFaults([], [titled('W:9.99'), titled('W:9')])).toEqual([
      'W:9.99: is named by e2e/src/a.e2e-spec.ts, holds, and is not in the lists',
      'W:9: is named by e2e/src/a.e2e-spec.ts, holds, and is not in the lists',
    ]);
  });

  it('is a test that does not go through HTTP', () => {
    const faults = (file: string) => demandFaults([demand('C:1.1')], [titled('C:1.1', file)]).length;
    expect(
      ['libs/core/a/src/a.spec.ts', 'apps/issuer/src/a.int-spec.ts', 'apps/gateway/src/config.spec.ts'].map(faults),
    ).toEqual([1, 1, 1]);
    expect(['apps/gateway/src/http/a.spec.ts', 'libs/kit/client/src/a.e2e-spec.ts'].map(faults)).toEqual([0, 0]);
  });
});

describe('the titles that name demands', () => {
  it('are read beside those of the standards, and without them', () => {
    const source = `
      it('C:2.13 VP:F1 17.6 takes it', () => { expect('C:9.9').toBe(1); });
      it.each([['W:4.1 first'], ['VP:A1 second']])('%s', () => {});
      it.skip('C:2.14 never runs', () => {});`;
    expect(titlesOfSource('a.spec.ts', source, CONTRACT_IDS).map(({ id, title }) => `${id} ${title}`)).toEqual([
      'C:2.13 17.6 takes it',
      'W:4.1 first',
    ]);
    expect(titlesOfSource('a.spec.ts', source).map(({ id, title }) => `${id} ${title}`)).toEqual([
      'VP:F1 17.6 takes it',
      'VP:A1 second',
    ]);
  });
});

describe('the page', () => {
  it('has a row for each demand, and says where a test is missing', () => {
    const lists = [{ heading: 'One', demands: [demand('C:1.1'), demand('C:1.2')] }];
    const rows = renderContractMap(lists, [titled('C:1.1')])
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows).toEqual([
      '| `C:1.1` | It holds: `a\\|b`. | [e2e/a](../e2e/src/a.e2e-spec.ts) holds |',
      '| `C:1.2` | It holds: `a\\|b`. | **missing** |',
    ]);
  });
});
