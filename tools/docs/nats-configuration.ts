export const NATS_CONFIGURATION = 'deploy/nats.conf';

/** The parts of a contract that determine permissions. */
export interface BusContract {
  readonly subject: string;
  readonly timeoutMilliseconds: number;
}

function isContract(value: unknown): value is BusContract {
  return typeof value === 'object' && value !== null && 'subject' in value && 'timeoutMilliseconds' in value;
}

/** Every contract among the exports of the library, including those in a table by service, ordered by subject. */
export function contractsAmong(exported: Readonly<Record<string, unknown>>): readonly BusContract[] {
  const found = Object.values(exported).flatMap((value) => {
    if (isContract(value)) return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).filter(isContract) : [];
  });
  return [...new Set(found)].sort((one, other) => (one.subject < other.subject ? -1 : 1));
}

export const BUS_SUBJECTS_FILE = 'libs/platform/contracts/src/bus-subjects.ts';

/** The subjects of each service as source, for programs that check their permissions. */
export function busSubjects(contracts: readonly BusContract[]): string {
  const services = [...new Set(contracts.map(serviceOf))].sort();
  const lines = services.map((name) => {
    const own = contracts.filter((contract) => serviceOf(contract) === name).map(({ subject }) => `'${subject}'`);
    return `  '${name}': [${own.join(', ')}],`;
  });
  return `/** The subjects that each service answers. Written by \`npm run docs\` from the contracts: do not edit. */
export const BUS_SUBJECTS = {\n${lines.join('\n')}\n} as const;\n`;
}

/** Longer than the time limit of any question. */
const MORE_SECONDS = 5;

const serviceOf = ({ subject }: BusContract): string => subject.slice(0, subject.indexOf('.'));
const variableOf = (user: string): string => `$${user.toUpperCase().replaceAll('-', '_')}_NATS_PASSWORD`;
const list = (items: readonly string[]): string => items.map((item) => `\n            "${item}"`).join('');

function gatewayUser(asked: readonly BusContract[]): string {
  return `      {
        user: "gateway"
        password: ${variableOf('gateway')}
        permissions {
          publish { allow: [${list(asked.map(({ subject }) => subject))}
          ] }
          subscribe { allow: ["_INBOX_gateway.>"] }
        }
      }`;
}

function serviceUser(name: string, answered: readonly BusContract[]): string {
  const seconds = Math.max(...answered.map(({ timeoutMilliseconds }) => timeoutMilliseconds)) / 1_000 + MORE_SECONDS;
  return `      {
        user: "${name}"
        password: ${variableOf(name)}
        permissions {
          # One answer to each question that it was given, and nothing else.
          allow_responses { max: 1, expires: "${seconds}s" }
          # "subject queue": only as a member of its own queue group.
          subscribe { allow: [${list(answered.map(({ subject }) => `${subject} ${name}`))}
          ] }
        }
      }`;
}

const HEAD = `# Written by \`npm run docs\` from the contracts in libs/platform/contracts. Do not edit. See docs/bus.md.
#
# Core NATS only, for questions and answers between the services. There is no jetstream block on purpose: messages carry
# personal data and must not be stored.
port: 4222

# For the health check inside the container; not reachable from elsewhere.
http: "127.0.0.1:8222"

# A wallet may send 1 MiB, which grows on the bus.
max_payload: 2MB

# A client that hangs or vanished is out of rotation after three to four intervals; the apps monitor the server likewise.
ping_interval: "2s"
ping_max: 2

tls {
  cert_file: "/run/secrets/nats_certificate"
  key_file: "/run/secrets/nats_key"
}

# GATEWAY_NATS_PASSWORD and so on; relative to this file in /etc/nats. deploy/make-secrets.sh makes it.
include "../../run/secrets/nats_passwords"
`;

/** The configuration of the NATS server: one user per program, with only the permissions that its contracts require. */
export function natsConfiguration(all: readonly BusContract[]): string {
  const services = [...new Set(all.map(serviceOf))].sort();
  const users = [
    gatewayUser(all),
    ...services.map((name) =>
      serviceUser(
        name,
        all.filter((one) => serviceOf(one) === name),
      ),
    ),
  ];
  return `${HEAD}
accounts {
  VESTIBULE {
    users: [
${users.join('\n')}
    ]
  }
}
`;
}
