/**
 * Two turns take in a message of 2 MB. More than sixteen would keep callers waiting, while a process that is this far behind
 * has lost the race in any case.
 */
const [FEWEST_TURNS, MOST_TURNS] = [2, 16];

/**
 * Acts when what sockets had received by now has been read. Node runs timers before it reads: after a stall, a time limit
 * would count what has long arrived as missing. `received` counts what was read; reading goes on while it grows.
 */
export function onceRead(received: () => number, act: () => unknown, turn = 1): void {
  const before = received();
  setImmediate(() => {
    const isRead = turn >= FEWEST_TURNS && received() === before;
    if (isRead || turn >= MOST_TURNS) act();
    else onceRead(received, act, turn + 1);
  });
}
