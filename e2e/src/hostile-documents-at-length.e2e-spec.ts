import { LENGTHY_SHAPES, startAttackedStage, type AttackedStage } from './hostile-documents';

let attacked: AttackedStage;
beforeAll(async () => void (attacked = await startAttackedStage()), 180_000);
afterAll(() => attacked?.stop(), 60_000);

describe('a document of a stranger that takes long holds no event loop longer than 250 ms, and health answers meanwhile', () => {
  it.each(LENGTHY_SHAPES)(
    '%s, imported, verified and presented',
    (_what, document) => attacked.expectHarmless(document),
    120_000,
  );
});
