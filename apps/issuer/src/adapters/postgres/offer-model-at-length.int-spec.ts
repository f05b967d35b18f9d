import fc from 'fast-check';
import { historiesEndAlike, stepsHaveAnOrder } from '../../testing/offer-histories.fixture-spec';
import { withStatementsForSeveral } from '../../testing/offer-world.fixture-spec';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(3_000_000);

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

it('VCI:P9 VCI:T8 VCI:Z9 hundreds of histories end as in the model', async () => {
  await fc.assert(historiesEndAlike([single, several]), { numRuns: 500 });
});

it('VCI:P9 VCI:N4 VCI:D10 thousands of steps at the same moment are as if they had come in some order', async () => {
  await fc.assert(stepsHaveAnOrder(single), { numRuns: 3_000 });
});
