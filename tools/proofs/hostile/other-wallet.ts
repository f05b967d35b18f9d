import { signEs256 } from '@vestibule/crypto';
import { packStatuses, signStatusListToken, STATUS_LIST_MEDIA_TYPE } from '@vestibule/status-list';
import { median } from '../bench/calibration';
import { makeCredential, x5cOf, type Credential } from './handmade-credential';
import { createRequest, fetchRequest, postForm, presentationPost } from './requests';
import { ANCHORED_TYPE, type World } from './world';

/** What a well-behaved wallet saw meanwhile: milliseconds from fetching its request to the answer. */
export interface Seen {
  readonly flows: number;
  readonly medianMilliseconds: number;
  readonly worstMilliseconds: number;
  /** Flows that did not succeed. */
  readonly failed: number;
}

const LIST_SECONDS = 600;
const LIST_ENTRIES = 100_000;
const SEGMENT = 'honest';

/** Serves the list of the trusted issuer under any name, signed for the requested name each time. */
export function serveHonestLists({ hosts, issuer }: World): void {
  hosts.at(SEGMENT, (request, response) => {
    const issuedAt = new Date();
    const order = {
      uri: `${hosts.origin}${request.url}`,
      issuedAt,
      expiresAt: new Date(issuedAt.getTime() + LIST_SECONDS * 1000),
      ttlSeconds: LIST_SECONDS,
      list: packStatuses(LIST_ENTRIES, 1, []),
      x5c: x5cOf(issuer),
      signer: (input: Uint8Array) => signEs256(issuer.key, input),
    };
    void signStatusListToken(order).then((token) =>
      response.writeHead(200, { 'content-type': STATUS_LIST_MEDIA_TYPE }).end(token),
    );
  });
}

let lists = 0;

/** A credential of the trusted issuer, with a status list that was never fetched before. */
function honestCredential({ hosts, issuer, holder }: World): Credential {
  lists += 1;
  const status = { status_list: { idx: 7, uri: `${hosts.origin}/${SEGMENT}/${lists}` } };
  return makeCredential({ issuer, holder, vct: ANCHORED_TYPE, claims: { status, family_name: 'Example' } });
}

const QUERY = {
  dcql_query: {
    credentials: [
      {
        id: 'card',
        format: 'dc+sd-jwt',
        meta: { vct_values: [ANCHORED_TYPE] },
        claims: [{ path: ['family_name'] }],
      },
    ],
  },
};

/** One presentation: until it is answered, or until something other than a request object is received. */
export interface Flow {
  readonly fulfilled: boolean;
  readonly milliseconds: number;
}

async function present(requestUri: string, credential: Credential): Promise<boolean> {
  try {
    const request = await fetchRequest(requestUri);
    return (await postForm(presentationPost(request, [credential]))).status === 200;
  } catch {
    return false; // a refused or broken connection, or an error instead of a request: all the same to its user
  }
}

/** A backend requests one credential, and a wallet presents it. */
export async function runHonestFlow(world: World): Promise<Flow> {
  const credential = honestCredential(world);
  const started = performance.now();
  const requestUri = await createRequest(world.stack, QUERY).catch(() => '');
  const asked = performance.now();
  const fulfilled = await present(requestUri, credential);
  return { fulfilled, milliseconds: performance.now() - (requestUri === '' ? started : asked) };
}

export function summarise(flows: readonly Flow[]): Seen {
  const times = flows.map(({ milliseconds }) => milliseconds);
  return {
    flows: flows.length,
    medianMilliseconds: median(times),
    worstMilliseconds: Math.max(...times),
    failed: flows.filter(({ fulfilled }) => !fulfilled).length,
  };
}

/** Starts a wallet that presents repeatedly; the flow in progress at the end counts. */
export async function startOtherWallet(world: World): Promise<{ stop(): Promise<Seen> }> {
  const flows: Flow[] = [];
  await runHonestFlow(world);
  let stopped = false;
  const running = (async () => {
    do flows.push(await runHonestFlow(world));
    while (!stopped);
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return summarise(flows);
    },
  };
}
