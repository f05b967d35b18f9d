import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const docs = path.resolve(__dirname, '../docs');
const PAGE = readFileSync(path.join(docs, 'regulation.md'), 'utf8');
const STATES = ['met', 'in part', 'operator', 'not met'];

interface Requirement {
  readonly id: string;
  readonly notBuilt?: string;
}
const requirements = readdirSync(path.join(docs, 'requirements')).flatMap(
  (file) => JSON.parse(readFileSync(path.join(docs, 'requirements', file), 'utf8')) as Requirement[],
);
const built = new Set(requirements.filter(({ notBuilt }) => notBuilt === undefined).map(({ id }) => id));
const unbuilt = requirements.find(({ notBuilt }) => notBuilt !== undefined)?.id ?? '';
const open = requirements.filter(({ id, notBuilt }) => id.startsWith('EU:') && notBuilt !== undefined);

interface Row {
  readonly requirement: string;
  readonly state: string;
  readonly how: string;
}

/** The rows of the tables that have four columns, without their heads. */
const rowsOf = (page: string): Row[] =>
  page.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, requirement = '', , state = '', how = ''] = cells;
    const isRow = cells.length === 6 && requirement !== 'requirement' && !requirement.startsWith('---');
    return isRow ? [{ requirement, state, how }] : [];
  });

/** What is wrong with a row: a state that there is not, or a claim without a test or a page. */
function faultOf({ requirement, state, how }: Row): string | undefined {
  if (!STATES.includes(state)) return `${requirement}: there is no state "${state}"`;
  const ids = [...how.matchAll(/`((?:VP|VCI|EU):\w+)`/g)].map(([, id = '']) => id);
  const unknown = ids.filter((id) => !built.has(id));
  if (unknown.length > 0) return `${requirement}: ${unknown.join()} is not built`;
  const isShown = ids.length > 0 || /\]\([a-z-]+\.md/.test(how) || /`[A-Za-z_]+(?:=\w+)?`/.test(how);
  if (state === 'met' && !isShown) return `${requirement}: nothing shows it`;
  return how.length < 10 && ids.length === 0 ? `${requirement}: it is not said how or why not` : undefined;
}

describe('the page on the rules for EU wallets', () => {
  const rows = rowsOf(PAGE);

  it('says of each requirement what shows it, or why it is not met', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.flatMap((row) => faultOf(row) ?? [])).toEqual([]);
  });

  it('says why of every row of the EU wallet that is open', () => {
    const silent = open.filter(({ id }) => !PAGE.includes(id) && !PAGE.includes(`| ${id.slice('EU:'.length)} `));
    expect(silent).toEqual([]);
  });

  const idOf = (family: string, id: string) => `\`${family}:${id}\``;
  it.each([
    ['a state that there is not', { requirement: 'X', state: 'done', how: idOf('VP', 'A6') }],
    ['a requirement without anything', { requirement: 'X', state: 'met', how: 'it is simply so' }],
    ['an id that there is not', { requirement: 'X', state: 'met', how: idOf('VP', 'ZZ9') }],
    ['an id that is not built', { requirement: 'X', state: 'met', how: `\`${unbuilt}\`` }],
    ['silence', { requirement: 'X', state: 'not met', how: 'no' }],
  ])('notices %s', (_what, row) => {
    expect(faultOf(row)).toBeDefined();
    expect(faultOf({ ...row, state: 'met', how: idOf('VP', 'A6') })).toBeUndefined();
  });
});
