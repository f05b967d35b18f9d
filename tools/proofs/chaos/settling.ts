import type { ReceivedCallback } from '@vestibule/dev-stack';
import { readStatus, type RunFlow } from './flows';
import { measureFootprint, type Footprint } from './leaks';
import type { FlowRecord, SeenCallback } from './verdict';
import type { Installation } from './world';

const RECOVERY_MILLISECONDS = 120_000;
/** How long flows may take to end, and the last events to be delivered. */
export const SETTLING_MILLISECONDS = 180_000;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A callback as it is judged. */
export function seen({ body, headers, text }: ReceivedCallback): SeenCallback {
  const { state, offerId, status } = body as Readonly<Record<string, string>>;
  return { id: state ?? offerId ?? '', status: status ?? '', webhookId: String(headers['webhook-id']), text };
}

/** Checks that every process works again; a fault for each that does not. */
export async function recover({ stack }: Installation): Promise<string[]> {
  const ends = stack.processes.map((process) =>
    process.waitUntilReady(RECOVERY_MILLISECONDS).then(
      () => [],
      (error: unknown) => [String(error)],
    ),
  );
  return (await Promise.all(ends)).flat();
}

/** Waits until the outboxes are empty, that is, until the last callback of the last flow is delivered. */
export async function settle(world: Installation): Promise<Footprint> {
  const deadline = performance.now() + SETTLING_MILLISECONDS;
  for (;;) {
    const footprint = await measureFootprint(world);
    if (footprint.waiting === 0 || performance.now() > deadline) return footprint;
    await pause(500);
  }
}

/** Reads the end of each flow; open flows have until they expire. */
export async function readEnds(world: Installation, flows: readonly RunFlow[]): Promise<FlowRecord[]> {
  const deadline = performance.now() + SETTLING_MILLISECONDS;
  const records: FlowRecord[] = [];
  for (const flow of flows) {
    let finalStatus = await readStatus(world, flow, { deadline });
    while (/^(PENDING|OFFER_CREATED)$/.test(finalStatus) && performance.now() < deadline) {
      await pause(500);
      finalStatus = await readStatus(world, flow, { deadline });
    }
    records.push({ ...flow, finalStatus });
  }
  return records;
}
