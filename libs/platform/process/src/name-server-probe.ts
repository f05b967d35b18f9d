import { Resolver } from 'node:dns/promises';

/** A name server that takes longer is one that hangs. */
export const SLOW_MILLISECONDS = 1_000;

/** What name servers answer in time: an address of a name, that they know none, or nothing. */
export type ProbeAnswer = 'address' | 'no_address' | 'silence';

/** Asks name servers for a name. */
export type Probe = (hostname: string, done: (answer: ProbeAnswer) => void) => void;

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
    const end = (answer: ProbeAnswer): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolver.cancel();
      done(answer);
    };
    const timer = setTimeout(end, SLOW_MILLISECONDS, 'silence');
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then((answers) =>
      end(answers.some(({ status }) => status === 'fulfilled') ? 'address' : 'no_address'),
    );
  };
