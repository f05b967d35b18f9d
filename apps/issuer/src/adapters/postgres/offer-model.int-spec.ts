import fc from 'fast-check';
import { historiesEndAlike, stepsHaveAnOrder } from '../../testing/offer-histories.fixture-spec';
import { openOfferStages } from '../../testing/offer-stages.fixture-spec';

jest.setTimeout(600_000);

const stages = openOfferStages();

it('VCI:P9 VCI:T8 VCI:Z9 every history ends as in the model: with statements for one, and with those for several', async () => {
  await fc.assert(historiesEndAlike(stages.all()), { numRuns: 12 });
});

it('VCI:P9 VCI:N4 VCI:D10 steps at the same moment are as if they had come in some order: each thing is used once', async () => {
  await fc.assert(stepsHaveAnOrder(stages.single()), { numRuns: 30 });
});
