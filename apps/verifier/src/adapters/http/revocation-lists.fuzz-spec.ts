/** @jest-environment ./tools/jest-context-environment.cjs */
import { createCertificateAuthority, createRevocationList, crlDistributionPoints } from '@vestibule/dev-pki';
import type { EgressResponse } from '@vestibule/egress';
import type { VerifiedChain } from '@vestibule/x509-trust';
import fc from 'fast-check';
import { BROKEN, DOWN, served, URIS, useListedChain } from '../../testing/revocation-lists.fixture-spec';
import { at, NOW } from '../../testing/verifier.fixture-spec';

/*
 * The rule of docs/trust.md over hosts that do what they like, in one process. `createWorld` writes down what was asked, what
 * came, and how each check ended; what is promised is computed from that alone.
 */
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const [EACH, TURN] = [4 * SECOND, 2 * SECOND];
/** Lists are published so often, and each counts for so long. */
const [PUBLISHED_EVERY, COUNTS_FOR, VERSIONS_BEFORE, VERSIONS] = [20 * MINUTE, 2 * HOUR + 3 * SECOND, 10, 100];
/** Beside it: another certificate of the chain, whose host always hangs. */
const SETTINGS = [
  { mode: 'hard-fail', isAlone: true },
  { mode: 'soft-fail', isAlone: true },
  { mode: 'soft-fail', isAlone: false },
] as const;
type Setting = (typeof SETTINGS)[number];

const publishedAt = (version: number) => NOW.getTime() + (version - VERSIONS_BEFORE) * PUBLISHED_EVERY;
const endOf = (version: number) => publishedAt(version) + COUNTS_FOR;
const latestAt = (time: number) => VERSIONS_BEFORE + Math.floor((time - NOW.getTime()) / PUBLISHED_EVERY);

/** What a host does from now on; the list that it serves is so many versions behind. */
interface Behaviour {
  readonly kind: 'serves' | 'fails' | 'is broken' | 'forges' | 'hangs';
  readonly behind: number;
  readonly milliseconds: number;
}
interface Request {
  readonly address: number;
  readonly behaviour: Behaviour;
  readonly at: number;
  endedAt: number;
  /** Of the list that came, if the authority signed it. */
  readonly version: number | undefined;
}
interface Check {
  readonly at: number;
  endedAt: number;
  outcome: string;
  readonly hosts: readonly [Behaviour, Behaviour];
  /** Whether the hosts did the same all the time. */
  isSteady: boolean;
}
/** What the hosts do from now on, if they change; then a check, and what passes until the next step. */
interface Step {
  readonly hosts: readonly [Behaviour | undefined, Behaviour | undefined];
  readonly milliseconds: number | 'until the next is published';
}

const { pki, listOf, open } = useListedChain();
/** By version: the list that does not name the certificate, and the one that does. */
const lists: [Buffer, Buffer][] = [];
let forged: Buffer;
let longer: VerifiedChain;

beforeAll(async () => {
  const { root, verified, chain } = pki();
  const authority = await root.issueAuthority({ name: 'Authority', extensions: [crlDistributionPoints(...URIS)] });
  const extensions = [crlDistributionPoints('http://hangs.example/1.crl')];
  const { certificate } = await authority.issue({ name: 'Issuer', extensions });
  longer = verified([certificate, authority.certificate]);
  const revoked = [{ certificate: chain.leaf.der }, { certificate: authority.certificate }];
  for (let version = 0; version < VERSIONS; version += 1) {
    const times = { thisUpdate: new Date(publishedAt(version)), nextUpdate: new Date(endOf(version)) };
    lists.push([await listOf(times), await createRevocationList(root, { ...times, revoked })]);
  }
  const signer = await createCertificateAuthority({ name: root.name, now: NOW });
  forged = await listOf({ signer, nextUpdate: at(86_400) });
});
beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

const takes = ({ kind, milliseconds }: Behaviour) => (kind === 'hangs' ? EACH : Math.min(EACH, milliseconds));
const serves = (behaviour: Behaviour) => behaviour.kind === 'serves' && takes(behaviour) < EACH;
const versionAt = ({ behind }: Behaviour, time: number) => latestAt(time) - behind;

function createWorld(revokedFrom: number, { mode, isAlone }: Setting) {
  const healthy: Behaviour = { kind: 'serves', behind: 0, milliseconds: 11 };
  const hosts: [Behaviour, Behaviour] = [healthy, healthy];
  const [requests, checks]: [Request[], Check[]] = [[], []];
  const bodyOf = ({ behaviour: { kind }, version }: Request): EgressResponse | Promise<EgressResponse> => {
    if (version !== undefined) return served(lists[version]?.[version < revokedFrom ? 0 : 1] ?? Buffer.alloc(0));
    if (kind === 'is broken') return BROKEN();
    return kind === 'forges' ? served(forged) : DOWN();
  };
  const respond = async (url: string) => {
    const [address, time] = [URIS.indexOf(url), Date.now()];
    if (address < 0) return new Promise<EgressResponse>((resolve) => setTimeout(() => resolve(DOWN()), EACH));
    const behaviour = hosts[address] ?? healthy;
    const version = serves(behaviour) ? versionAt(behaviour, time) : undefined;
    const request = { address, behaviour, at: time, endedAt: Infinity, version };
    requests.push(request);
    await new Promise((resolve) => setTimeout(resolve, takes(behaviour)));
    request.endedAt = Date.now();
    return takes(behaviour) < EACH ? bodyOf(request) : DOWN();
  };
  const { check, time } = open(respond, mode);
  const begin = () => {
    const isAsBefore = ({ endedAt, behaviour, address }: Request) => endedAt < Infinity || behaviour === hosts[address];
    const isSteady = requests.every(isAsBefore);
    const made: Check = { at: Date.now(), endedAt: Infinity, outcome: '', hosts: [...hosts], isSteady };
    checks.push(made);
    const ended = (outcome: string) => void Object.assign(made, { outcome, endedAt: Date.now() });
    void check(isAlone ? undefined : longer).then(
      () => ended('passes'),
      (error: { code?: string }) => ended(error.code ?? String(error)),
    );
  };
  const run = async ({ hosts: [first, second], milliseconds }: Step) => {
    if (first ?? second) for (const made of checks) made.isSteady &&= made.endedAt < Infinity;
    hosts[0] = first ?? hosts[0];
    hosts[1] = second ?? hosts[1];
    begin();
    const untilNext = PUBLISHED_EVERY - ((Date.now() - NOW.getTime()) % PUBLISHED_EVERY);
    await jest.advanceTimersByTimeAsync(milliseconds === 'until the next is published' ? untilNext : milliseconds);
  };
  Object.defineProperty(time, 'now', { get: () => new Date() });
  return { requests, checks, run, hangs: isAlone ? 0 : EACH };
}
type World = ReturnType<typeof createWorld>;

/** What has come from one address; `isAsked` says whether a check may wait for it. */
function addressAt({ requests }: World, address: number, time: number, newest: number) {
  let [version, fetchedAt, failedAt] = [-1, -Infinity, -Infinity];
  for (const request of requests.filter((one) => one.address === address && one.endedAt <= time)) {
    const came = request.version ?? -1;
    if (came >= version && endOf(came) > request.endedAt)
      [version, fetchedAt, failedAt] = [came, request.endedAt, -Infinity];
    else failedAt = request.endedAt;
  }
  const isFresh = Math.min(fetchedAt + HOUR, endOf(version)) > time;
  const isQuiet = endOf(newest) > time && time - failedAt < MINUTE;
  const hasFailed = failedAt > -Infinity;
  return { isFresh, isQuiet, hasFailed, isAsked: !isFresh && !isQuiet, isEnough: isFresh && version === newest };
}

/** What has come from both; `newest` is undefined if nothing counts. */
function knownAt(world: World, time: number) {
  const came = Math.max(-1, ...world.requests.map(({ version = -1, endedAt }) => (endedAt <= time ? version : -1)));
  const addresses = [addressAt(world, 0, time, came), addressAt(world, 1, time, came)] as const;
  return { came, addresses, newest: endOf(came) > time ? came : undefined };
}

/** The version that an address serves a check in this time, if that is not older than what came before. */
function versionFrom(host: Behaviour, { at: time }: Check, came: number, left: number): number | undefined {
  const version = versionAt(host, time);
  const isUsable = version >= came && endOf(version) > time + 2 * EACH;
  return isUsable && serves(host) && takes(host) < left ? version : undefined;
}

const isFirstAwaited = ([first, second]: ReturnType<typeof knownAt>['addresses']) =>
  first.isAsked && !(first.hasFailed && second.isEnough);

/** Whether a check that begins now has nothing to wait for. */
function isAtOnce({ addresses }: ReturnType<typeof knownAt>): boolean {
  const [first, second] = addresses;
  return first.isEnough || (!isFirstAwaited(addresses) && !second.isAsked);
}

/** The version that decides a check of hosts that did the same all the time; undefined if there is none to be had. */
function decidingVersion(world: World, check: Check): number | undefined {
  const { came, newest, addresses } = knownAt(world, check.at);
  const [first, second] = addresses;
  if (first.isEnough) return newest;
  const isFirst = isFirstAwaited(addresses);
  const fromFirst = isFirst ? versionFrom(check.hosts[0], check, came, EACH) : undefined;
  if (fromFirst !== undefined || !second.isAsked) return fromFirst ?? newest;
  const turn = isFirst ? Math.min(TURN, takes(check.hosts[0])) : 0;
  return versionFrom(check.hosts[1], check, came, newest === undefined ? EACH : EACH - turn) ?? newest;
}

/** Whether a list that a host serves such a check may end before the check does. */
const isEnding = (host: Behaviour, { at: time }: Check) =>
  endOf(versionAt(host, time)) > time && endOf(versionAt(host, time)) <= time + 2 * EACH;

/** Why the outcome is wrong, whatever the hosts did meanwhile. */
function faultOf(world: World, check: Check, revokedFrom: number): string | undefined {
  const known = knownAt(world, check.at);
  const newest = known.newest ?? -1;
  const isKept = isAtOnce(known) || endOf(newest) > check.endedAt;
  const mostMilliseconds = isKept ? EACH : TURN + EACH;
  if (check.endedAt - check.at > Math.max(world.hangs, isAtOnce(known) ? 0 : mostMilliseconds)) return 'waits too long';
  const isBound = newest >= revokedFrom || (newest >= 0 && isKept);
  if (isBound && !isPromised(newest, check, revokedFrom)) return 'forgets what it has seen';
  const hadEnded = ({ version = VERSIONS, endedAt }: Request) => endedAt >= check.at && endOf(version) <= endedAt;
  const isExpired = check.outcome === 'crl_expired' && !world.requests.some(hadEnded);
  return isExpired ? 'refuses for a list that ended while it waited' : undefined;
}

const isPromised = (version: number, { outcome }: Check, revokedFrom: number) =>
  outcome === 'certificate_revoked' || (version < revokedFrom && outcome === 'passes');

function expectPromised(world: World, check: Check, revokedFrom: number): void {
  const { newest = -1 } = knownAt(world, check.at);
  const what = JSON.stringify({ check, requests: world.requests }, undefined, 1);
  const fault = faultOf(world, check, revokedFrom);
  if (fault !== undefined) throw new Error(`${fault}: ${what}`);
  const ends = (newest >= 0 && endOf(newest) <= check.endedAt) || check.hosts.some((host) => isEnding(host, check));
  if (!check.isSteady || ends) return;
  const deciding = decidingVersion(world, check) ?? -1;
  if (deciding >= 0 && !isPromised(deciding, check, revokedFrom)) throw new Error(`looks not far enough: ${what}`);
}

function expectFewRequests(world: World, address: 0 | 1): void {
  const here = world.requests.filter((request) => request.address === address);
  for (const [index, { at: time }] of here.entries()) {
    const { isFresh, isQuiet } = knownAt(world, time).addresses[address];
    const { endedAt = -Infinity } = here[index - 1] ?? {};
    const what = JSON.stringify({ time, requests: world.requests }, undefined, 1);
    if (isFresh || endedAt > time) throw new Error(`asks for what it has or is about to have: ${what}`);
    // Those that waited for a request of others, in vain, get one of their own.
    if (isQuiet && endedAt < time) throw new Error(`asks again within a minute: ${what}`);
  }
}

const behaviours: fc.Arbitrary<Behaviour> = fc.record({
  kind: fc.constantFrom('serves', 'serves', 'serves', 'fails', 'is broken', 'forges', 'hangs'),
  behind: fc.constantFrom(0, 0, 0, 1, 2, 4, 6),
  // No list comes in the millisecond in which one ends.
  milliseconds: fc.constantFrom(11, 503, 1_507, 2_511, 3_517, 3_987, 4_500),
});
const steps: fc.Arbitrary<Step> = fc.record({
  hosts: fc.tuple(fc.option(behaviours, { nil: undefined }), fc.option(behaviours, { nil: undefined })),
  milliseconds: fc.oneof(
    fc.constantFrom(0, 600, 1_900, 2_200, 4_100, 30_000, 61_000, 61_000, 20 * MINUTE, HOUR, 2 * HOUR),
    fc.constant('until the next is published' as const),
  ),
});

it('VP:N11 whatever hosts do, no revoked certificate passes, and none waits or fails longer than is promised', async () => {
  const histories = fc.array(steps, { minLength: 3, maxLength: 16, size: 'max' });
  const revokedFrom = fc.integer({ min: VERSIONS_BEFORE, max: VERSIONS_BEFORE + 8 });
  await fc.assert(
    fc.asyncProperty(histories, revokedFrom, fc.constantFrom(...SETTINGS), async (history, from, setting) => {
      jest.setSystemTime(NOW);
      const world = createWorld(from, setting);
      for (const step of history) await world.run(step);
      await jest.advanceTimersByTimeAsync(4 * EACH);
      for (const check of world.checks) expectPromised(world, check, from);
      for (const address of [0, 1] as const) expectFewRequests(world, address);
    }),
    { numRuns: 60 },
  );
});
