import { DATABASE_FINDINGS } from './database-findings';
import type { FindingEntry, FindingLevel } from './finding-entry';

/** What `vestibule doctor` finds beyond the errors that would end a start; `docs/doctor.md` is generated from this. */
export const FINDINGS = {
  variable_unknown: {
    level: 'warning',
    meaning: 'a variable of the environment looks like the misspelt name of one that is not set',
    remedy: 'correct its name; see [configuration.md](configuration.md)',
  },
  start_warning: {
    level: 'warning',
    meaning: 'what the process would log as a warning when it starts',
    remedy: 'look the sentence up in [log-events.md](log-events.md)',
  },
  check_failed: {
    level: 'error',
    meaning: 'a check ended with an error that has no code',
    remedy: 'report it, with the name of the check and of the error',
  },
  check_too_slow: {
    level: 'error',
    meaning: 'a check had no result within 30 s',
    remedy: 'look for a network that drops packets, or a server that hangs',
  },
  clock_differs_from_postgres: {
    level: 'error',
    meaning: 'the clock of this machine and that of Postgres differ by more than 2 s',
    remedy: 'synchronise both by NTP: deadlines, expiry and the validity of proofs are compared across machines',
  },
  clock_differs_from_ntp: {
    level: 'error',
    meaning: 'the clock of this machine and that of `NTP_SERVER` differ by more than 2 s',
    remedy: 'start or repair the NTP client of this machine',
  },
  ntp_unanswered: {
    level: 'warning',
    meaning: '`NTP_SERVER` gives no usable answer, so the clock was not compared with it',
    remedy: 'open UDP port 123 to it, or name a server that can be reached',
  },
  disk_nearly_full: {
    level: 'warning',
    meaning: 'the disk of the working folder or of the temporary folder has less than 5 % free',
    remedy: 'free space, often old logs; the processes themselves store nothing there',
  },
  ...DATABASE_FINDINGS,
  nats_unreachable: {
    level: 'error',
    meaning: 'no server of `NATS_URL` answers',
    remedy: 'start NATS, or correct host and port; look for a firewall between',
  },
  nats_permission_missing: {
    level: 'error',
    meaning: 'the user may not subscribe or publish what the process needs',
    remedy:
      'compare its permissions with `deploy/nats.conf` of this version; see [bus.md](bus.md#users-and-permissions)',
  },
  service_missing: {
    level: 'error',
    meaning: 'a service does not answer on the bus, or is not ready',
    remedy: 'start it, and read its log; its own `vestibule doctor` says more',
  },
  callback_unreachable: {
    level: 'error',
    meaning: 'no connection to the receiver of callbacks',
    remedy:
      'start the receiver, let this process reach it, or correct `CALLBACK_URL` or `CALLBACK_ORIGINS`, whichever names it; then `vestibule callbacks test`',
  },
  callback_certificate_refused: {
    level: 'error',
    meaning: 'the TLS certificate of the receiver of callbacks is refused',
    remedy: 'renew it, or put its authority into `CALLBACK_CA_FILE`',
  },
  callback_proxy_failed: {
    level: 'error',
    meaning: 'the outbound proxy of callbacks does not lead to a receiver',
    remedy: 'look the code in brackets up in [errors.md](errors.md), and see [outbound-proxy.md](outbound-proxy.md)',
  },
  egress_proxy_failed: {
    level: 'error',
    meaning: 'an outbound proxy of fetched documents does not answer as one, or refuses the login',
    remedy: 'look the code in brackets up in [errors.md](errors.md), and see [outbound-proxy.md](outbound-proxy.md)',
  },
  egress_proxy_leads_inside: {
    level: 'warning',
    meaning: 'an outbound proxy of fetched documents opens tunnels to addresses that are not public',
    remedy: 'let it refuse them: see [outbound-proxy.md](outbound-proxy.md)',
  },
  callback_unsigned: {
    level: 'warning',
    meaning: 'callbacks are not signed: the backend cannot know who sends them',
    remedy: 'set `CALLBACK_SECRETS`; `vestibule keys new callback-key` makes a key',
  },
  callback_without_tls: {
    level: 'warning',
    meaning: 'callbacks with personal data travel over http to a host that is not this machine',
    remedy: 'use https, unless the network between is yours alone',
  },
  callbacks_dead: {
    level: 'warning',
    meaning: 'there are dead letters: events that the backend never accepted',
    remedy: 'see [failed callbacks](operations.md#failed-callbacks)',
  },
  callbacks_wait: {
    level: 'warning',
    meaning: 'an event has been waiting for its backend for more than 5 minutes',
    remedy: 'see [failed callbacks](operations.md#failed-callbacks)',
  },
  certificate_ends_soon: {
    level: 'warning',
    meaning: 'a certificate ends within 30 days',
    remedy: 'renew it: [certificates](operations.md#certificates)',
  },
  relying_party_certificate_ended: {
    level: 'error',
    meaning: 'no access certificate of a relying party is valid: its requests fail',
    remedy: 'renew its certificate; see [relying-parties.md](relying-parties.md)',
  },
  trust_anchor_ended: {
    level: 'error',
    meaning: 'a trust anchor has expired: credentials below it are refused',
    remedy: 'replace its file by the current certificate; see [trust.md](trust.md)',
  },
  trust_without_anchors: {
    level: 'warning',
    meaning: 'no issuer has a trust anchor: credentials of anyone end as FULFILLED with `isTrusted: false`',
    remedy: 'add anchors to `TRUST_FILE`, or set its policy to `enforce`; see [trust.md](trust.md)',
  },
  development_setting: {
    level: 'error',
    meaning: 'a setting for development is on, and the public address is not this machine',
    remedy: 'remove it',
  },
  issuer_name_missing: {
    level: 'warning',
    meaning:
      'the issuer certificate does not contain `ISSUER_URL`: verifiers that look for `iss` in it refuse the credentials',
    remedy: 'have it issued with `ISSUER_URL` as a URI, or its host as a DNS name',
  },
  management_open: {
    level: 'warning',
    meaning: 'the management listener is bound to more than this machine, and asks for no key, token or certificate',
    remedy: 'set `MANAGEMENT_KEY_DIGESTS` or mutual TLS, or make sure that only backends reach the port',
  },
  proxies_unknown: {
    level: 'warning',
    meaning:
      'the public address is https and `TRUSTED_PROXIES` is not set: all wallets share the rate limit of the proxy',
    remedy: 'set `TRUSTED_PROXIES` to the addresses of the proxy',
  },
  security_text_ended: {
    level: 'warning',
    meaning: '`SECURITY_EXPIRES` has passed: security.txt is not served',
    remedy: 'check the contacts and set a new time',
  },
  public_without_https: {
    level: 'error',
    meaning: '`BASE_URL` is not https: no wallet on another machine uses it',
    remedy: 'put a proxy with TLS in front, see [proxy.md](proxy.md), and set `BASE_URL` to its https address',
  },
  public_name_unknown: {
    level: 'error',
    meaning: 'the name in `BASE_URL` has no address here',
    remedy: 'create its DNS record, or correct `BASE_URL`',
  },
  public_address_private: {
    level: 'warning',
    meaning: 'the name in `BASE_URL` leads to a private address, which phones outside cannot reach',
    remedy: 'point its public DNS record to the proxy, or run this outside of your network',
  },
  public_unreachable: {
    level: 'error',
    meaning: 'nothing answers at the public address',
    remedy: 'start the proxy, open its port in the firewall, and look at its log',
  },
  public_certificate_refused: {
    level: 'error',
    meaning: 'the certificate of the public address is refused: another name, another time, or an unknown authority',
    remedy: 'renew it for the name in `BASE_URL`, from an authority that phones trust',
  },
  public_chain_incomplete: {
    level: 'error',
    meaning:
      'the proxy sends its certificate without the intermediates, or its authority is unknown: browsers may cope, wallets do not',
    remedy: 'configure the whole chain in the proxy (fullchain.pem), from an authority that phones trust',
  },
  public_not_gateway: {
    level: 'error',
    meaning: 'an address of wallets is not answered by the gateway',
    remedy: 'let the proxy forward the paths of [proxy.md](proxy.md) unchanged, to the public listener',
  },
  well_known_missing: {
    level: 'error',
    meaning: 'wallets do not find a document of the issuer',
    remedy:
      'forward `/.well-known/…` at the root of the host, also for an `ISSUER_URL` with a path; see [proxy.md](proxy.md)',
  },
  well_known_differs: {
    level: 'error',
    meaning: 'a document of the issuer names another issuer: wallets refuse it',
    remedy: 'give the gateway and the issuer the same `ISSUER_URL`, without a slash at its end',
  },
  management_exposed: {
    level: 'error',
    meaning: 'the management listener can be reached under the public name: anyone may act as your backend',
    remedy: 'close the port in the firewall, and let the proxy forward only the paths of [proxy.md](proxy.md)',
  },
} as const satisfies Readonly<Record<string, FindingEntry>>;

export type FindingCode = keyof typeof FINDINGS;

/** One result of a check. Neither `about` nor `remedy` contains a secret. */
export interface Finding {
  readonly level: FindingLevel;
  /** Of {@link FINDINGS}, or of the error that a start would end with; absent if all is well. */
  readonly code?: string;
  /** What was found, of this installation. */
  readonly about: string;
  /** What to do. */
  readonly remedy?: string;
}

const LINK = /\[([^\]]+)\]\(([^)]+)\)/g;

/** A remedy of the documentation as a sentence for a terminal: a link becomes the path of its page. */
export function plainRemedy(markdown: string): string {
  const place = (_link: string, text: string, target: string) =>
    text.endsWith('.md') ? `docs/${target}` : `${text} (docs/${target})`;
  return markdown.replace(LINK, place).replaceAll('`', '');
}

/** A finding of the table. */
export function finding(code: FindingCode, about: string): Finding {
  const { level, remedy } = FINDINGS[code];
  return { level, code, about, remedy: plainRemedy(remedy) };
}

const DAY_MILLISECONDS = 86_400_000;
const WARNING_DAYS = 30;

/** The finding for a certificate that ends within 30 days. */
export function endFindings(what: string, end: Date | undefined, now: Date): readonly Finding[] {
  if (!end || end.getTime() - now.getTime() >= WARNING_DAYS * DAY_MILLISECONDS) return [];
  return [finding('certificate_ends_soon', `${what} ends at ${end.toISOString()}`)];
}
