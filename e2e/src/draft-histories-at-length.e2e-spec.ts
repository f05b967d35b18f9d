import fc from 'fast-check';
import { expectHistory, history, useWorld } from './draft-histories';

jest.setTimeout(1_200_000);

const world = useWorld();

it('17.1 hundreds of drafts that both versions change, also at once, end as in the model', async () => {
  const histories = fc.asyncProperty(history, (one) => expectHistory(world(), one));
  await fc.assert(histories, { numRuns: 300 });
});
