import { ADDRCONFIG, lookup as lookUpByOs, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createProbe, SLOW_MILLISECONDS, type Probe } from './name-server-probe';

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

/**
 * A lookup for hosts that many connections are opened to at the same time. The operating system looks names up in the thread
 * pool of the process, two at a time, and does not give up before its name servers had many seconds: connections to one host
 * whose name server hangs would keep the names of all others waiting, also that of Postgres. So connections to the same name
 * share a lookup, and names that were slow at their last lookup are looked up one at a time, as are those for which no name
 * server answers when it is asked before. A connection may not wait long enough for that, so addresses that were found slowly
 * are kept for half a minute, for the next attempt.
 */
export function createSharedLookup(
  findAll: FindAll = findAllByOs,
  stopwatch: () => number = () => performance.now(),
  probe: Probe = createProbe(),
): LookupFunction {
  const underWay = new Map<string, Waiting[]>();
  const slow = new Set<string>();
  /** Those that are found without name servers, as from a hosts file where there are none. */
  const local = new Set<string>();
  const kept = new Map<string, { readonly addresses: readonly LookupAddress[]; readonly until: number }>();
  const inLine: string[] = [];
  let slowOne: string | undefined;

  function end(hostname: string, began: number, ...answer: Parameters<Waiting>): void {
    const now = stopwatch();
    const [error, addresses] = answer;
    kept.delete(hostname);
    const wasSlow = slow.delete(hostname);
    if (now - began < SLOW_MILLISECONDS) {
      if (slowOne === hostname && !wasSlow) local.add(hostname);
    } else {
      slow.add(hostname);
      local.delete(hostname);
      if (!error) kept.set(hostname, { addresses, until: now + KEPT_MILLISECONDS });
    }
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

  function find(hostname: string, done: Waiting): void {
    const found = kept.get(hostname);
    if (found && stopwatch() < found.until) return process.nextTick(done, null, found.addresses);
    const waiting = underWay.get(hostname);
    if (waiting) return void waiting.push(done);
    underWay.set(hostname, [done]);
    if (slow.has(hostname)) beginInTurn(hostname);
    else if (local.has(hostname)) begin(hostname, false);
    else probe(hostname, (isAnswered) => (isAnswered ? begin(hostname, false) : beginInTurn(hostname)));
  }

  return (hostname, { all }, callback) => find(hostname, inForm(all, callback));
}

/** Of this process. */
export const sharedLookup: LookupFunction = createSharedLookup();
