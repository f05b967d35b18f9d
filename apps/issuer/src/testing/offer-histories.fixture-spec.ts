import fc from 'fast-check';
import { factsOfModel, factsReader, type Exactness } from './offer-facts.fixture-spec';
import { newModel, takeStep, type Model } from './offer-model.fixture-spec';
import { history, offerKinds, stepsAtOnce, type OfferKind, type Step } from './offer-steps.fixture-spec';
import { createWorld, offersOf } from './offer-world.fixture-spec';
import type { StoreStage } from './store.fixture-spec';

const drawnBy = (model: Model) => model.offers.map(({ entries }) => entries.map(({ idx }) => idx));

/** The stores of each stage, for the same offers. */
async function openWorlds(used: readonly StoreStage[], kinds: readonly OfferKind[], keepsClaims: boolean) {
  const offers = offersOf(kinds);
  return Promise.all(
    used.map(async (stage) => ({
      ...(await createWorld({ stage, offers, kinds, keepsClaims })),
      readFacts: factsReader(stage, offers),
    })),
  );
}
type World = Awaited<ReturnType<typeof openWorlds>>[number];

/** What of several things that happen at once can be the first, the second and so on. */
function* ordersOf<T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length === 0) yield [];
  for (const [at, first] of all.entries())
    for (const rest of ordersOf(all.filter((_, other) => other !== at))) yield [first, ...rest];
}

const expectFacts = async (world: World, model: Model, exactness: Exactness) =>
  expect(await world.readFacts(drawnBy(model), exactness)).toEqual(factsOfModel(model, exactness));

/** Each history answers and ends in the stores of each stage as in the model. */
export const historiesEndAlike = (stages: readonly StoreStage[]) =>
  fc.asyncProperty(offerKinds, fc.boolean(), history(10, 30), async (kinds, keepsClaims, steps) => {
    const model = newModel(kinds, keepsClaims);
    const worlds = await openWorlds(stages, kinds, keepsClaims);
    for (const [number, step] of steps.entries()) {
      const { now } = model;
      const expected = takeStep(model, step);
      for (const world of worlds) expect(await world.take(step, `step ${number}`, now)).toEqual(expected);
    }
    for (const world of worlds) await expectFacts(world, model, 'exact');
  });

/** A credential of a type with statuses has one: what is issued without is of another type, and of another offer. */
const withStatuses = (steps: readonly Step[]): Step[] =>
  steps.map((step) => (step.kind === 'complete' ? { ...step, entries: Math.max(1, step.entries) } : step));

/** What a step uses must not depend on those at the same moment: each has indexes of its own, and none has new claims. */
const ofTheirOwn = (steps: readonly Step[]): Step[] =>
  steps.map((step, number) => {
    if (step.kind === 'complete') return { ...step, candidates: [40 + 2 * number, 41 + 2 * number] };
    return step.kind === 'read' ? { ...step, isRemembered: false } : step;
  });

/** The models after the steps in each order in which they could have answered so. */
function explanations(before: Model, steps: readonly Step[], answers: readonly unknown[]): Model[] {
  const numbered = steps.map((step, number) => ({ step, answer: JSON.stringify(answers[number]) }));
  return [...ordersOf(numbered)].flatMap((order) => {
    const model = structuredClone(before);
    const isPossible = order.every(({ step, answer }) => JSON.stringify(takeStep(model, step)) === answer);
    return isPossible ? [model] : [];
  });
}

/** Steps that are taken at the same moment answer and end as if they had come in some order. */
export const stepsHaveAnOrder = (stage: StoreStage) =>
  fc.asyncProperty(offerKinds, fc.boolean(), history(0, 8), stepsAtOnce, async (kinds, keepsClaims, first, atOnce) => {
    const model = newModel(kinds, keepsClaims);
    const [world] = (await openWorlds([stage], kinds, keepsClaims)) as [World];
    for (const [number, step] of withStatuses(first).entries()) {
      const { now } = model;
      takeStep(model, step);
      await world.take(step, `step ${number}`, now);
    }
    const steps = ofTheirOwn(withStatuses(atOnce));
    const answers = await Promise.all(steps.map((step, number) => world.take(step, `at once ${number}`, model.now)));
    const possible = explanations(model, steps, answers);
    expect(possible).not.toEqual([]);
    const facts = JSON.stringify(await world.readFacts(drawnBy(possible[0] as Model), 'at_once'));
    const wanted = possible.map((one) => JSON.stringify(factsOfModel(one, 'at_once')));
    if (!wanted.includes(facts)) expect(facts).toEqual(wanted[0]);
  });
