import fc from 'fast-check';
import { judgeEnds, type Told } from './endings';
import { histories, type History, type Scope } from './moves';
import { begin, playGroup, type Disturber } from './play';
import type { World } from './world';

/** What a stage that is disturbed adds to a world. */
export interface Disturbance extends Disturber {
  readonly told: Told;
  /** Lets every part work again. */
  calm(): Promise<void>;
}

async function playHistory(world: World, history: History, disturbance: Disturbance | undefined): Promise<void> {
  const play = await begin(world, history, disturbance);
  for (const group of history.groups) await playGroup(play, group);
  await disturbance?.calm();
  const told: Told = disturbance?.told ?? (({ id }, count) => world.bench.stage.callbacksOf(id, count));
  await judgeEnds(play, told).catch((error: unknown) => {
    throw new Error(`after\n${play.log.join('\n')}`, { cause: error });
  });
}

/**
 * Whatever happens to presentation requests and credential offers, one after the other or at the same moment: each
 * answer, each end and each event is one that the contract allows. `parts` is how long a history may be.
 */
export const flowsEndAsInModel = (
  world: () => World,
  parts: number,
  { disturbance, ...scope }: Scope & { readonly disturbance?: () => Disturbance } = {},
) =>
  fc.asyncProperty(histories(parts, { ...scope, isDisturbed: disturbance !== undefined }), (history) =>
    playHistory(world(), history, disturbance?.()),
  );
