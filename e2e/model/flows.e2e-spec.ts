import fc from 'fast-check';
import { expectNoTraceIn } from '../src/traces';
import { flowsEndAsInModel } from './property';
import { CANARY, useWorld } from './world';

/** Always the same histories: the full run has others each time. */
const SEED = 1;
const RUNS = 10;

const world = useWorld();

describe('whatever backends and wallets do, one after the other or at the same moment', () => {
  it('each answer, end and event of requests and offers is one that the contract allows', async () => {
    await fc.assert(flowsEndAsInModel(world, 8), { numRuns: RUNS, seed: SEED });
  });

  it('no name that was presented or offered is left in the database or in a log', () =>
    expectNoTraceIn(world().bench.stage, [CANARY]));
});
