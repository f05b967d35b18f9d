import fc from 'fast-check';
import { historiesEndAlike, stepsHaveAnOrder } from '../../testing/offer-histories.fixture-spec';
import { openOfferStages } from '../../testing/offer-stages.fixture-spec';

jest.setTimeout(3_000_000);

const stages = openOfferStages();

it('VCI:P9 VCI:T8 VCI:Z9 hundreds of histories end as in the model', async () => {
  await fc.assert(historiesEndAlike(stages.all()), { numRuns: 500 });
});

it('VCI:P9 VCI:N4 VCI:D10 thousands of steps at the same moment are as if they had come in some order', async () => {
  await fc.assert(stepsHaveAnOrder(stages.single()), { numRuns: 3_000 });
});
