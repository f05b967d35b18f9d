import { withStatementsForSeveral } from './offer-world.fixture-spec';
import { openStoreStage, type StoreStage } from './store.fixture-spec';

/** For the tests of a file: stores with the statements for one of something, and others with those for several. */
export function openOfferStages(): { readonly all: () => readonly StoreStage[]; readonly single: () => StoreStage } {
  let stages: readonly StoreStage[] = [];
  beforeAll(async () => {
    stages = [await openStoreStage()];
    stages = [...stages, await openStoreStage(withStatementsForSeveral)];
  });
  afterAll(async () => {
    for (const stage of stages) await stage.close();
  });
  return { all: () => stages, single: () => stages[0] as StoreStage };
}
