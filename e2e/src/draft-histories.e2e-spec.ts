import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createWorld, expectHistory, history, type World } from './draft-histories';
import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
let world: World;
beforeAll(async () => {
  stage = await joinStage();
  world = await createWorld(stage, `s${randomUUID().replaceAll('-', '')}`);
});
afterAll(() => stage?.stop());

it('17.1 drafts that both versions change, also at once, end as in the model', async () => {
  const histories = fc.asyncProperty(history, (one) => expectHistory(world, one));
  await fc.assert(histories, { numRuns: 8, seed: 4_011, endOnFailure: true });
});
