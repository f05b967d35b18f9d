import { viewOf } from './real-offer';
import { atLast, unlessAway, type World } from './world';

type Members = Record<string, unknown>;

async function readPage(world: World, path: string) {
  const { management } = world.nextGateway?.() ?? { management: world.bench.stage.stack.managementUrl };
  const response = await fetch(`${management}${path}`);
  return { status: response.status, link: response.headers.get('link') ?? '', text: await response.text() };
}

/**
 * What a list says of each flow, as the model writes it, read page by page while others may change the flows. A flow
 * that is listed twice is an error.
 */
export async function readList(world: World, path: '/oidc4vp' | '/offers', query: Readonly<Record<string, string>>) {
  const found = new Map<string, string>();
  for (let next: string | undefined = `${path}?${new URLSearchParams(query).toString()}`; next !== undefined;) {
    const page: string = next;
    const { status, link, text } = await atLast(() => unlessAway(world, () => readPage(world, page)));
    expect([page, status]).toEqual([page, 200]);
    for (const item of JSON.parse(text) as Members[]) {
      const id = String(item['state'] ?? item['offer_id']);
      expect(`${id} ${found.has(id) ? 'twice' : 'once'}`).toBe(`${id} once`);
      found.set(id, path === '/offers' ? viewOf(item) : `200 ${String(item['status'])}`);
    }
    const [, following] = /^<([^>]+)>; rel="next"$/.exec(link) ?? [];
    next = following === undefined ? undefined : `/${following}`;
  }
  return found;
}
