import { ADDRCONFIG, lookup as lookUpByOs, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createProbe, SLOW_MILLISECONDS, type Probe, type ProbeAnswer } from './name-server-probe';

/** Finds all addresses of a name, as the operating system does. */
type FindAll = (hostname: string, done: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void;
type Waiting = Parameters<FindAll>[1];

/** Longer than a connection waits, and than a few slow names take that are looked up before it. */
const KEPT_MILLISECONDS = 30_000;

const findAllByOs: FindAll = (hostname, done) =>
  // As for connections without a lookup of their own.
  lookUpByOs(hostname, { all: true, hints: ADDRCONFIG }, (error, addresses) => done(error, error ? [] : addresses));

/** Hands addresses over as the caller wants them. */
const inForm =
  (all: boolean | undefined, callback: Parameters<LookupFunction>[2]): Waiting =>
  (error, addresses) => {
    const [first] = addresses;
    if (error || first === undefined) callback(error ?? new Error('a name without an address'), '', 0);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };

/** What is known of names from their last lookups, at the times of a stopwatch. */
function createMemory() {
  const slow = new Set<string>();
  /** Those that name servers had no address for when they were last asked. */
  const unlisted = new Set<string>();
  /** Those of them that were found nevertheless, in a hosts file or a search list. */
  const local = new Set<string>();
  const kept = new Map<string, { readonly addresses: readonly LookupAddress[]; readonly until: number }>();
  return {
    isSlow: (hostname: string) => slow.has(hostname),
    isLocal: (hostname: string) => local.has(hostname),
    addressesOf(hostname: string, now: number): readonly LookupAddress[] | undefined {
      const found = kept.get(hostname);
      return found && now < found.until ? found.addresses : undefined;
    },
    noteProbe(hostname: string, answer: ProbeAnswer): void {
      if (answer !== 'address') unlisted.add(hostname);
    },
    noteLookup(hostname: string, [began, now]: readonly [number, number], ...answer: Parameters<Waiting>): void {
      const [error, addresses] = answer;
      kept.delete(hostname);
      slow.delete(hostname);
      const wasUnlisted = unlisted.delete(hostname);
      if (now - began < SLOW_MILLISECONDS) {
        if (wasUnlisted && !error) local.add(hostname);
      } else {
        slow.add(hostname);
        local.delete(hostname);
        if (!error) kept.set(hostname, { addresses, until: now + KEPT_MILLISECONDS });
      }
    },
  };
}

/**
 * A lookup for hosts that many connections are opened to at the same time. The operating system looks names up in the thread
 * pool of the process, two at a time, and does not give up before its name servers had many seconds: connections to one host
 * whose name server hangs would keep the names of all others waiting, also that of Postgres. So connections to the same name
 * share a lookup, and names that were slow at their last lookup are looked up one at a time, as are those for which no name
 * server answers when it is asked before, unless it was not needed the last time. A connection may not wait long enough for
 * that, so addresses that were found slowly are kept for half a minute, for the next attempt.
 */
export function createSharedLookup(
  findAll: FindAll = findAllByOs,
  stopwatch: () => number = () => performance.now(),
  probe: Probe = createProbe(),
): LookupFunction {
  const memory = createMemory();
  const underWay = new Map<string, Waiting[]>();
  const inLine: string[] = [];
  let slowOne: string | undefined;

  function end(hostname: string, began: number, ...answer: Parameters<Waiting>): void {
    memory.noteLookup(hostname, [began, stopwatch()], ...answer);
    const waiting = underWay.get(hostname) ?? [];
    underWay.delete(hostname);
    if (slowOne === hostname) begin(inLine.shift(), true);
    for (const done of waiting) done(...answer);
  }

  function begin(hostname: string | undefined, isSlow: boolean): void {
    if (isSlow) slowOne = hostname;
    if (hostname === undefined) return;
    const began = stopwatch();
    findAll(hostname, (error, addresses) => end(hostname, began, error, addresses));
  }

  function beginInTurn(hostname: string): void {
    if (slowOne === undefined) begin(hostname, true);
    else inLine.push(hostname);
  }

  function beginAfter(hostname: string, answer: ProbeAnswer): void {
    memory.noteProbe(hostname, answer);
    if (answer === 'silence') beginInTurn(hostname);
    else begin(hostname, false);
  }

  function find(hostname: string, done: Waiting): void {
    const found = memory.addressesOf(hostname, stopwatch());
    if (found) return process.nextTick(done, null, found);
    const waiting = underWay.get(hostname);
    if (waiting) return void waiting.push(done);
    underWay.set(hostname, [done]);
    if (memory.isSlow(hostname)) beginInTurn(hostname);
    else if (memory.isLocal(hostname)) begin(hostname, false);
    else probe(hostname, (answer) => beginAfter(hostname, answer));
  }

  return (hostname, { all }, callback) => find(hostname, inForm(all, callback));
}

/** Of this process. */
export const sharedLookup: LookupFunction = createSharedLookup();
