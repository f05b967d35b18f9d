/** One flow as its backend and its wallet saw it. */
export interface FlowRecord {
  readonly kind: 'issuance' | 'presentation';
  /** The state or the offer id. */
  readonly id: string;
  /** How it may end, given the wallet's answers. */
  readonly allowed: readonly string[];
  /** Its status at the management listener, after everything has recovered. */
  readonly finalStatus: string;
}

/** One callback as the backend received it. */
export interface SeenCallback {
  readonly id: string;
  readonly status: string;
  readonly webhookId: string;
  readonly text: string;
}

export interface Verdict {
  readonly faults: readonly string[];
  /** The number of flows per final status. */
  readonly ends: Readonly<Record<string, number>>;
  /** Callbacks beyond the first of their event. */
  readonly repeats: number;
}

const FIRST_OF_AN_OFFER = 'OFFER_CREATED';

function group<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known) known.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** An event has one body and one webhook-id, however often it was delivered. */
function eventFaults(status: string, callbacks: readonly SeenCallback[]): string[] {
  const faults: string[] = [];
  if (new Set(callbacks.map(({ text }) => text)).size > 1) faults.push(`${status} came with different bodies`);
  if (new Set(callbacks.map(({ webhookId }) => webhookId)).size > 1) faults.push(`${status} came under several ids`);
  return faults;
}

function orderFaults(statuses: readonly string[], kind: FlowRecord['kind']): string[] {
  if (kind === 'presentation') return [];
  if (!statuses.includes(FIRST_OF_AN_OFFER)) return [`no callback ${FIRST_OF_AN_OFFER}`];
  return statuses[0] === FIRST_OF_AN_OFFER ? [] : [`${statuses[0]} came before ${FIRST_OF_AN_OFFER}`];
}

function flowFaults({ kind, allowed, finalStatus }: FlowRecord, callbacks: readonly SeenCallback[]): string[] {
  const byStatus = group(callbacks, ({ status }) => status);
  const ends = [...byStatus.keys()].filter((status) => status !== FIRST_OF_AN_OFFER);
  const faults = [...byStatus].flatMap(([status, events]) => eventFaults(status, events));
  faults.push(...orderFaults([...byStatus.keys()], kind));
  if (ends.length === 0) faults.push('no callback about its end');
  if (ends.length > 1) faults.push(`callbacks about several ends: ${ends.join(', ')}`);
  if (!allowed.includes(finalStatus)) faults.push(`ended as ${finalStatus}, expected ${allowed.join(' or ')}`);
  if (ends.length === 1 && ends[0] !== finalStatus)
    faults.push(`callback ${ends[0]}, but the status is ${finalStatus}`);
  return faults;
}

/** Judges every flow: exactly one end, its callback at least once, one body per event, in order. */
export function judgeFlows(flows: readonly FlowRecord[], callbacks: readonly SeenCallback[]): Verdict {
  const byId = group(callbacks, ({ id }) => id);
  const faults = flows.flatMap((flow) =>
    flowFaults(flow, byId.get(flow.id) ?? []).map((fault) => `${flow.kind} ${flow.id}: ${fault}`),
  );
  const ends: Record<string, number> = {};
  for (const { finalStatus } of flows) ends[finalStatus] = (ends[finalStatus] ?? 0) + 1;
  const events = new Set(callbacks.map(({ id, status }) => `${id} ${status}`));
  return { faults, ends, repeats: callbacks.length - events.size };
}
