import fc from 'fast-check';
import { historiesEndAlike, stepsHaveAnOrder } from '../../testing/offer-histories.fixture-spec';
import { withStatementsForSeveral } from '../../testing/offer-world.fixture-spec';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(600_000);

let single: StoreStage;
let several: StoreStage;
beforeAll(async () => {
  single = await openStoreStage();
  several = await openStoreStage(withStatementsForSeveral);
});
afterAll(async () => {
  await single?.close();
  await several?.close();
});

it('VCI:P9 VCI:T8 VCI:Z9 every history ends as in the model: with statements for one, and with those for several', async () => {
  await fc.assert(historiesEndAlike([single, several]), { numRuns: 12 });
});

it('VCI:P9 VCI:N4 VCI:D10 steps at the same moment are as if they had come in some order: each thing is used once', async () => {
  await fc.assert(stepsHaveAnOrder(single), { numRuns: 30 });
});
