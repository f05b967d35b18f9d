import fc from 'fast-check';
import { testSize } from '@vestibule/testkit';
import { joinIssuanceBench, type IssuanceBench } from '../src/issuance-bench';
import { expectNoTraceIn } from '../src/traces';
import { startDisturbedStage, type DisturbedStage } from './disturbed-stage';
import { flowsEndAsInModel } from './property';
import { CANARY, createWorld, type World } from './world';

jest.setTimeout(3_000_000);

const RUNS = testSize('MODEL_RUNS', 150);
const DISTURBED_RUNS = testSize('MODEL_DISTURBED_RUNS', 25);

describe('whatever backends and wallets do', () => {
  let bench: IssuanceBench;
  let world: World;
  beforeAll(async () => {
    bench = await joinIssuanceBench();
    world = await createWorld(bench, false);
  });
  afterAll(async () => {
    await world?.rows.end();
    await bench?.stop();
  });

  it('each answer, end and event of hundreds of histories is one that the contract allows', async () => {
    await fc.assert(
      flowsEndAsInModel(() => world, 14),
      { numRuns: RUNS },
    );
  });
});

describe('whatever they do while services are killed and the backend fails', () => {
  let disturbed: DisturbedStage;
  beforeAll(async () => {
    disturbed = await startDisturbedStage();
  });
  afterAll(() => disturbed?.stop());

  it('each answer, end and event is one that the contract allows', async () => {
    await fc.assert(
      flowsEndAsInModel(
        () => disturbed.world,
        10,
        () => disturbed.disturbance,
      ),
      { numRuns: DISTURBED_RUNS },
    );
  });

  it('no name that was presented or offered is left in the database or in a log', () =>
    expectNoTraceIn(disturbed.bench.stage, [CANARY]));
});
