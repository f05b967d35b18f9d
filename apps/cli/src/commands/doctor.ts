import { createRequire } from 'node:module';
import { type Argument, type Command, Failure, type Input, UsageError } from '../command';
import type * as PublicChecks from '../public-checks';
import { chooseApp, collectServiceLines } from '../service-program';

const APP: Argument = {
  name: 'process',
  required: false,
  choices: ['gateway', 'verifier', 'issuer', 'wallet-store'],
};

/** As `CheckResult` of the process library, which would take a second to load. */
interface Result {
  readonly check: string;
  readonly level: string;
  readonly code?: string;
  readonly about: string;
  readonly remedy?: string;
}

const lineOf = ({ level, check, code, about, remedy }: Result) =>
  [level, check, code ?? '-', about, remedy ?? '-'].map((text) => text.replaceAll(/\s+/g, ' ')).join('\t');

function show({ options, host }: Input, results: readonly Result[]): number {
  for (const result of results) host.print('json' in options ? JSON.stringify(result) : lineOf(result));
  return results.some(({ level }) => level === 'error') ? 1 : 0;
}

async function examineProcess({ arguments: { process }, options, host }: Input): Promise<readonly Result[]> {
  const environment = { ...host.environment, ...(options['ntp'] === undefined ? {} : { NTP_SERVER: options['ntp'] }) };
  const service = chooseApp(host, process);
  const lines = await collectServiceLines({ ...host, environment }, { service, argv: ['doctor'] });
  if (lines.length === 0) throw new Failure(`${service} reported nothing: its log says why`);
  return lines.map((line) => JSON.parse(line) as Result);
}

/** Loaded when it is needed: what it stands on takes a second to load. */
const loadPublicChecks = () => createRequire(__filename)('../public-checks') as typeof PublicChecks;

const PUBLIC_ONLY = ['url', 'issuer', 'ca'];

async function run(input: Input): Promise<number> {
  const { options, arguments: given } = input;
  if ('public' in options) {
    if (given['process'] !== undefined || 'ntp' in options)
      throw new UsageError('--public looks from outside: it takes neither a process nor --ntp');
    return show(input, await loadPublicChecks().examinePublicly(input));
  }
  const surplus = PUBLIC_ONLY.find((name) => name in options);
  if (surplus !== undefined) throw new UsageError(`--${surplus} needs --public`);
  return show(input, await examineProcess(input));
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'finds what is wrong with an installation, and says what to do',
  actions: [
    {
      name: '',
      about: 'examines one process from the inside, or with --public the whole as a phone sees it',
      arguments: [APP],
      options: {
        json: { about: 'one JSON object for each finding: check, level, code, about, remedy' },
        ntp: { value: 'HOST', about: 'compare the clock with this NTP server; default: NTP_SERVER' },
        public: { about: 'from outside: name, certificate, well-known documents, and what must not be reachable' },
        url: { value: 'URL', about: 'with --public: BASE_URL; default: that of the environment' },
        issuer: { value: 'URL', about: 'with --public: ISSUER_URL; default: that of the environment, or BASE_URL' },
        ca: {
          value: 'FILE',
          about: 'with --public: PEM file with an authority that phones here trust besides public ones',
        },
      },
      run,
    },
  ],
  about: [
    'Each line is level (ok, warning, error), check, code, what was found, and what to do, separated by tabs. The exit code\n' +
      'is 1 if there is an error. It changes nothing and prints no secret. Codes: docs/doctor.md.',
    'A process is examined with its own environment, as when it starts: run it in its container. In an image, <process>\n' +
      'may be left out. Run --public from a machine outside, where phones are.',
  ],
  examples: [
    ['docker compose exec verifier vestibule doctor', 'configuration, chains, trust, clock, Postgres, NATS, callbacks'],
    ['vestibule doctor gateway --ntp pool.ntp.org --json', 'for a program to read'],
    ['vestibule doctor --public --url https://wallet.example', 'what a phone sees'],
  ],
};
