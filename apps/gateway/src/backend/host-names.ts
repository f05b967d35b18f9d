import { isIP } from 'node:net';
import type { Logger, Metrics } from '@vestibule/process';
import type { FastifyInstance } from 'fastify';

/**
 * A host name as an operator writes it: labels of letters, digits, `-` and `_`, in lower case, without a port or a
 * trailing dot.
 */
const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;
/** `host`, `host:8081`, `[::1]:8081` (RFC 9110 §7.2, RFC 3986 §3.2). */
const AUTHORITY = /^(?:\[([^\][]{2,64})\]|([^:[\]@/?#\\]{1,254}))(?::\d{0,5})?$/;
/** The target of a request in absolute form (RFC 9112 §3.2.2), which overrides the Host header. */
const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** The host that a request is addressed to. */
export type NamedHost =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'unlisted'; readonly name: string }
  /** Neither a name nor an address. */
  | { readonly kind: 'malformed' };

const ACCEPTED: NamedHost = { kind: 'accepted' };
const MALFORMED: NamedHost = { kind: 'malformed' };

/** The name in normal form: lower case, without a trailing dot; undefined if it is not a host name. */
export function hostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  return NAME.test(name) ? name : undefined;
}

/** RFC 6761 §6.3: these names always resolve to the loopback interface, so an attacker cannot redirect them. */
const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

function judge(authority: string, allowed: ReadonlySet<string>): NamedHost {
  const [, literal, other = ''] = AUTHORITY.exec(authority) ?? [];
  if (literal !== undefined) return isIP(literal) === 6 ? ACCEPTED : MALFORMED;
  if (isIP(other) === 4) return ACCEPTED;
  const name = hostName(other);
  if (name === undefined) return MALFORMED;
  return isLoopbackName(name) || allowed.has(name) ? ACCEPTED : { kind: 'unlisted', name };
}

/**
 * The host that a request is addressed to, from its target and its Host header; one with several was refused before. A
 * request without one is accepted: only old probes send such requests, and never a browser, which an attacker's name could
 * lead to this machine.
 */
export function namedHost(target: string, host: string | undefined, allowed: ReadonlySet<string>): NamedHost {
  const [, authority] = ABSOLUTE_TARGET.exec(target) ?? [];
  const named = [...(authority === undefined ? [] : [authority]), ...(host ? [host] : [])];
  const judged = named.map((one) => judge(one, allowed));
  return judged.find(({ kind }) => kind !== 'accepted') ?? ACCEPTED;
}

/** How many names are logged, once each; a client could invent any number of them. */
const MAX_LOGGED = 100;

const UNLISTED = 'a request was addressed to a host that is not in MANAGEMENT_HOSTS: a later version will reject it';
const UNREADABLE = 'a request had no valid Host: a later version will reject it';

export interface HostNamesOptions {
  /** Allowed besides loopback names and addresses, in the normal form of {@link hostName}. */
  readonly allowed: readonly string[];
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'counter'>;
}

/**
 * Warns of requests that address this listener by an unexpected host name: a web page may have directed a browser here
 * through its own name (DNS rebinding). In this version they are answered all the same: each name is logged once, up to
 * a hundred names, and every such request is counted.
 */
export function watchHostNames(instance: FastifyInstance, { allowed, logger, metrics }: HostNamesOptions): void {
  const names = new Set(allowed);
  const logged = new Set<string>();
  const help = 'Requests to the management listener that a later version will reject because of their Host';
  const count = metrics.counter('management_unlisted_hosts_total', help, 'reason');
  const warnOnce = (name: string, sentence: string, fields: { readonly host?: string }): void => {
    if (logged.has(name) || logged.size > MAX_LOGGED) return;
    logged.add(name);
    if (logged.size > MAX_LOGGED)
      logger.warn('the management listener is addressed by too many names: no further ones are logged');
    else logger.warn(sentence, fields);
  };
  instance.addHook('onRequest', (request, _reply, done) => {
    const named = namedHost(request.originalUrl, request.headers.host, names);
    if (named.kind !== 'accepted') count(named.kind);
    if (named.kind === 'unlisted') warnOnce(named.name, UNLISTED, { host: named.name });
    if (named.kind === 'malformed') warnOnce('', UNREADABLE, {});
    done();
  });
}
