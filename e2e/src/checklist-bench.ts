import type { Environment } from '@vestibule/dev-stack';
import {
  createHolder,
  rightCredential,
  sdJwtOf,
  TYPE,
  type Change,
  type CredentialDraft,
  type Holder,
  type JwtDraft,
  type Members,
} from './handmade-credential';
import {
  bind,
  encryptResponse,
  openRequest,
  postForm,
  type Encryption,
  type HttpAnswer,
  type OpenedRequest,
} from './handmade-wallet';
import { readSharedPki, writeSharedPki, type SharedPki } from './shared-pki';
import { FLOWS, joinStageNamed, PRESENTATION, startStage, type SharedStage, type Stage } from './stage';
import { createTrustedPki, type Pki, type TrustedPki } from './trusted-pki';

/** One credential as it is shown; without changes nothing is wrong with it. */
export interface Shown {
  readonly credential?: Change<CredentialDraft>;
  /** Applied after `credential`. */
  readonly afterwards?: Change<CredentialDraft>;
  /** `none` sends no key binding. */
  readonly binding?: Change<JwtDraft> | 'none';
  /** Changes the SD-JWT before it is bound: `sd_hash` fits. */
  readonly sdJwt?: (text: string) => string;
  /** Changes the finished presentation: `sd_hash` fits no longer. */
  readonly presentation?: (text: string) => string;
}

/** Makes presentations for one request. */
export interface Hand {
  readonly request: OpenedRequest;
  readonly holder: Holder;
  show(shown?: Shown): string;
}

/** A request and the answer to it. */
export interface Attempt extends Shown {
  /** Members of the credential query, which asks for `family_name`. */
  readonly query?: Members;
  /** Members of the body of `POST /oidc4vp`. */
  readonly ask?: Members;
  readonly sameDevice?: boolean;
  readonly vpToken?: (hand: Hand) => unknown;
  /** Changes the response before encryption; text and bytes are encrypted as they are. */
  readonly response?: (right: Members) => Members | string | Uint8Array;
  readonly encryption?: Change<Encryption>;
  /** Makes the form otherwise. */
  readonly form?: (jwe: string, request: OpenedRequest) => Record<string, string> | URLSearchParams;
}

/** How a request ended: what the wallet heard, and what the decision record says. */
export interface Ending {
  readonly state: string;
  readonly http: HttpAnswer;
  readonly status: string;
  /** Codes of the checks that failed. */
  readonly codes: readonly (string | undefined)[];
}

export interface Bench {
  readonly stage: SharedStage;
  readonly pki: Pki;
  readonly holder: Holder;
  /** Asks, and fetches the request object. */
  ask(attempt?: Attempt): Promise<OpenedRequest>;
  /** Asks, answers, and looks at the record. */
  attempt(attempt?: Attempt): Promise<Ending>;
  /** The request object of an `openid4vp://` URI, for several answers to it. */
  open(uri: string): Promise<OpenedRequest>;
  /** Answers a request, and looks at the record. */
  answer(request: OpenedRequest, attempt?: Attempt): Promise<Ending>;
  /** Status and failed checks from `GET /oidc4vp/{state}`, to be settled in the end. */
  endOf(state: string, http: HttpAnswer): Promise<Ending>;
  /** The callback of a request. */
  eventOf(state: string): Promise<Members>;
  /** Every request so far had the one callback that its record announces, and open ones had none. */
  expectOneCallbackEach(): Promise<void>;
  stop(): Promise<void>;
}

/** A bench at the stage of all checklists. */
export interface JoinedBench extends Bench {
  readonly pki: SharedPki;
}

/** A bench with a stage of its own, for what no other test must feel. */
export interface OwnBench extends Bench {
  readonly stage: Stage;
  readonly pki: TrustedPki;
}

export interface BenchOptions {
  /** More variables for the verifier. */
  readonly environment?: Environment;
  /** Writes another trust file before the start. */
  readonly trust?: (pki: TrustedPki) => Promise<void>;
}

export const cardQuery = (members: Members = {}): Members => ({
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: [TYPE] },
  claims: [{ path: ['family_name'] }],
  ...members,
});

function handOf(pki: Pki, holder: Holder, request: OpenedRequest): Hand {
  return {
    request,
    holder,
    show({ credential, afterwards, binding, sdJwt, presentation } = {}) {
      const right = rightCredential(pki.issuer, holder);
      const changed = { ...right, ...credential?.(right) };
      const text = sdJwtOf({ ...changed, ...afterwards?.(changed) });
      const shown = sdJwt?.(text) ?? text;
      const bound = binding === 'none' ? shown : bind(shown, request, holder, binding);
      return presentation?.(bound) ?? bound;
    },
  };
}

async function answerRequest(hand: Hand, attempt: Attempt): Promise<HttpAnswer> {
  const { request } = hand;
  const vpToken = attempt.vpToken ? attempt.vpToken(hand) : { card: [hand.show(attempt)] };
  const right: Members = { vp_token: vpToken, state: request.state };
  const response = attempt.response?.(right) ?? right;
  const isRaw = typeof response === 'string' || response instanceof Uint8Array;
  const plaintext = isRaw ? response : JSON.stringify(response);
  const jwe = await encryptResponse(request, plaintext, attempt.encryption);
  return postForm(request.responseUri, attempt.form?.(jwe, request) ?? { response: jwe });
}

async function ask(stage: SharedStage, { query, ask: members, sameDevice }: Attempt): Promise<string> {
  const body = { dcql_query: { credentials: [cardQuery(query)] }, ...members };
  const answer = await stage.management('POST', '/oidc4vp', body);
  if (answer.status !== 201) throw new TypeError(`the request was refused: ${JSON.stringify(answer.body)}`);
  return String(answer.body[sameDevice ? 'same_device_request_uri' : 'cross_device_request_uri']);
}

async function readEnd(stage: SharedStage, state: string, http: HttpAnswer): Promise<Ending> {
  const { body } = await stage.management('GET', `/oidc4vp/${state}`);
  const checks = (body['checks'] ?? []) as { outcome: string; code?: string }[];
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  const codes = failed.map(({ code }) => code);
  const text = expect.stringMatching(/\S/) as unknown;
  const timed = { check: text, section: text, milliseconds: expect.any(Number) as unknown };
  expect(checks).toEqual(checks.map(() => expect.objectContaining(timed) as unknown));
  expect(failed).toEqual(codes.map(() => expect.objectContaining({ code: text, remedy: text }) as unknown));
  return { state, http, status: String(body['status']), codes };
}

async function expectCallbacks(stage: SharedStage, endings: readonly Ending[]): Promise<void> {
  expect(endings.length).toBeGreaterThan(0);
  const seen = await Promise.all(
    endings.map(async ({ state, status: end }) => {
      const events = await stage.callbacksOf(state, end === 'PENDING' ? 0 : 1);
      return events.map(({ status, errorDetails }) => [status, String(errorDetails).split(':', 1)[0]]);
    }),
  );
  const announced = endings.map(({ status, codes }) => {
    if (status === 'PENDING') return [];
    return [[status, status === 'REJECTED' ? expect.any(String) : String(codes[0])]];
  });
  expect(seen).toEqual(announced);
}

/** Requests to one stage, answered by hand. */
function createActs(stage: SharedStage, pki: Pki): Omit<Bench, 'stage' | 'pki' | 'stop'> {
  const holder = createHolder();
  const endings = new Map<string, Ending>();
  const endOf: Bench['endOf'] = async (state, http) => {
    const ending = await readEnd(stage, state, http);
    endings.set(state, ending);
    return ending;
  };
  const answer: Bench['answer'] = async (request, attempt = {}) =>
    endOf(request.state, await answerRequest(handOf(pki, holder, request), attempt));
  return {
    holder,
    endOf,
    open: openRequest,
    answer,
    ask: async (attempt = {}) => openRequest(await ask(stage, attempt)),
    attempt: async (attempt = {}) => answer(await openRequest(await ask(stage, attempt)), attempt),
    async eventOf(state) {
      const [event] = await stage.callbacksOf(state, 1);
      if (!event) throw new Error('the request has no callback');
      return event;
    },
    expectOneCallbackEach: () => expectCallbacks(stage, [...endings.values()]),
  };
}

/** Starts a stack whose verifier trusts a PKI of the test, and answers its requests by hand. */
export async function createBench({ environment = {}, trust }: BenchOptions = {}): Promise<OwnBench> {
  const pki = await createTrustedPki();
  await trust?.(pki);
  const starting = startStage({
    apps: PRESENTATION,
    doors: 1,
    environment: { verifier: { TRUST_FILE: pki.trustFile, ...environment } },
  });
  const stage = await starting.catch((error: unknown) => {
    pki.remove();
    throw error;
  });
  const stop = async () => {
    await stage.stop();
    pki.remove();
  };
  return { ...createActs(stage, pki), stage, pki, stop };
}

/** As many as checklists may run at the same time, and some more. */
const DOORS = 8;

/** Joins the stage of all checklists, whose verifier trusts one PKI for all of them, and answers its requests by hand. */
export async function joinBench(): Promise<JoinedBench> {
  const { facts: own, files } = await writeSharedPki();
  const options = {
    apps: FLOWS,
    files,
    doors: DOORS,
    environment: { verifier: { TRUST_FILE: '{files}/trust.json' } },
  };
  const { stage, facts } = await joinStageNamed('checklists', options, own);
  const pki = await readSharedPki(facts);
  return { ...createActs(stage, pki), stage, pki, stop: stage.stop };
}
