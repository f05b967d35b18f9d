import { Resolver } from 'node:dns/promises';

/** A name server that takes longer is one that hangs. */
export const SLOW_MILLISECONDS = 1_000;

/** Says whether name servers answer for a name in time, whatever they answer. */
export type Probe = (hostname: string, done: (isAnswered: boolean) => void) => void;

/**
 * Asks for both families of addresses, as the operating system does, but over sockets, for which no thread waits. What is
 * found is not used: hosts files and search lists are for the operating system. `servers` replaces the system's.
 */
export const createProbe =
  (servers?: readonly string[]): Probe =>
  (hostname, done) => {
    const resolver = new Resolver({ timeout: 2 * SLOW_MILLISECONDS, tries: 1 });
    if (servers) resolver.setServers(servers);
    let isOver = false;
    const end = (isAnswered: boolean): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolver.cancel();
      done(isAnswered);
    };
    const timer = setTimeout(end, SLOW_MILLISECONDS, false);
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(() => end(true));
  };
