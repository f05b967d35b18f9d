import { createHolder, runFlow, type Holder, type RunFlow } from '../chaos/flows';
import { readEnds } from '../chaos/settling';
import { changeStatuses } from '../chaos/status-changes';
import type { FlowRecord } from '../chaos/verdict';
import type { Installation } from '../chaos/world';

const WORKERS = 6;
const HOLDER_MILLISECONDS = 60_000;

/** Flows of all kinds, one at a time in each of several lines, and changes of statuses, until they are told to end. */
export function startFlows(world: Installation, holders: readonly Holder[]) {
  const flows: RunFlow[] = [];
  const records: FlowRecord[] = [];
  const faults: string[] = [];
  let number = 0;
  let isOver = false;
  const keep = async (flow: RunFlow) => {
    flows.push(flow);
    // Immediately: ended flows are purged soon.
    records.push(...(await readEnds(world, [flow])));
  };
  const work = async (holder: Holder) => {
    while (!isOver) {
      number += 1;
      try {
        await keep(await runFlow(world, holder, number));
      } catch (error) {
        faults.push(String(error));
      }
    }
  };
  const lines = Array.from({ length: WORKERS }, (_, line) => work(holders[line % holders.length] as Holder));
  const changing = changeStatuses(world, () => isOver, keep);
  return {
    count: () => records.length,
    async end() {
      isOver = true;
      await Promise.all(lines);
      faults.push(...(await changing));
      return { stories: flows.map(({ story }) => story), records, faults };
    },
  };
}

export const createHolders = (world: Installation): Promise<Holder[]> =>
  Promise.all([1, 2].map(() => createHolder(world, { deadline: performance.now() + HOLDER_MILLISECONDS })));
