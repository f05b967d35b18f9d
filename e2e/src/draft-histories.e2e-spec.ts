import fc from 'fast-check';
import { expectHistory, type History, history, useWorld } from './draft-histories';
import type { ResourceAnswer } from './schema-api';

const world = useWorld();

it('17.1 drafts that both versions change, also at once, end as in the model', async () => {
  const histories = fc.asyncProperty(history, (one) => expectHistory(world(), one));
  await fc.assert(histories, { numRuns: 8, seed: 4_011, endOnFailure: true });
});

/** A draft whose changes, all of the same revision, are answered so in turn; nothing can be read of it. */
async function answered(...outcomes: readonly (readonly [status: number, code?: string])[]): Promise<unknown> {
  const answers = outcomes.values();
  const api = async (method: string): Promise<ResourceAnswer> => {
    if (method === 'GET') throw new Error('is explained');
    const [status, code] = (method === 'PATCH' && answers.next().value) || [200];
    const body = { id: 'x', data: {}, ...(code === undefined ? {} : { code }) };
    return { status, body, headers: new Headers(), faults: [], items: [] };
  };
  const change: History['atOnce'][number] = {
    kind: 'update',
    isOld: false,
    behind: 0,
    values: { given_name: 'Zoë' },
    labels: {},
  };
  const drawn = { first: [], atOnce: outcomes.map(() => change) };
  return expectHistory({ ...world(), api }, drawn).catch((error: Error) => error.message);
}

it('no order explains two changes of one revision that both succeed, or of which none does', async () => {
  const [won, lost] = [[200], [412, 'revision_mismatch']] as const;
  expect(await answered(won, lost)).toBe('is explained');
  expect(await answered(lost, won, lost)).toBe('is explained');
  for (const outcomes of [
    [won, won],
    [lost, lost],
    [won, [409, 'concurrent_change']],
  ] as const)
    expect(await answered(...outcomes)).toMatch(/^no order explains/);
});
