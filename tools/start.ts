import {
  AppProcess,
  chooseDataFolder,
  choosePort,
  EUDI_SAMPLE_ISSUER,
  EUDI_SAMPLE_TYPE,
  forgetRunning,
  SAMPLE_TYPE,
  sampleQuery,
  startCallbackReceiver,
  startStack,
  USUAL_PORTS,
  writeRunning,
  type ReceivedCallback,
  type Stack,
  type StackOptions,
} from '@vestibule/dev-stack';
import { openConsole } from './start-console';
import { offerSamples, SAMPLE_CLAIMS } from './start-offers';
import { describeSettings, givenSettings, readCompiledConfigurations, type GivenSettings } from './start-settings';

export interface ToolContext {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The checkout. */
  readonly root: string;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

const given = (text: string | undefined) => (text === undefined || text === '' ? undefined : text);

function port(name: string, text: string | undefined): number | undefined {
  if (given(text) === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number < 65_536) return number;
  throw new Error(`${name} must be a port number`);
}

/** The status and the identifiers of an event; never a claim. */
function describeCallback({ body }: ReceivedCallback): string {
  const event = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const parts = ['status', 'state', 'offerId', 'errorDetails'].flatMap((name) =>
    typeof event[name] === 'string' ? [`${name}=${event[name]}`] : [],
  );
  return `callback: ${parts.join(' ')}`;
}

type Described = Pick<
  Stack,
  'managementUrl' | 'baseUrl' | 'issuerUrl' | 'databaseAdminUrl' | 'natsUrl' | 'dataFolder' | 'logFile'
>;

const jsonPost = (url: string, body: object) =>
  `curl -sS ${url} \\\n    -H 'content-type: application/json' \\\n    -d '${JSON.stringify(body)}'`;

function offerCurl(stack: Described, type: string): string {
  return jsonPost(`${stack.managementUrl}/offers`, {
    credential_configuration_id: type,
    claims: SAMPLE_CLAIMS,
    tx_code: { input_mode: 'numeric', length: 6 },
  });
}

function requestCurl(stack: Described): string {
  return jsonPost(`${stack.managementUrl}/oidc4vp`, { dcql_query: sampleQuery(stack.issuerUrl) });
}

/** What `npm start` prints when everything runs: the addresses, and a call for each flow. */
export function describeStack(stack: Described, callbackUrl: string, consoleUrl?: string, offers = ''): string {
  const postgres = stack.databaseAdminUrl === undefined ? '' : new URL(stack.databaseAdminUrl).host;
  return `
Vestibule is running.
${consoleUrl === undefined ? '' : `\n  console          ${consoleUrl}   (open it in a browser: ask, offer, answer, operate)\n`}
  management API   ${stack.managementUrl}   (for your backend)
  API reference    ${stack.managementUrl}/docs   (as JSON: ${stack.managementUrl}/openapi.json)
  public listener  ${stack.baseUrl}   (for wallets)
  callbacks        ${callbackUrl}   (CALLBACK_URL=http://… sends them to your backend)
  Postgres         ${postgres}   (DATABASE_URL replaces it)
  NATS             ${new URL(stack.natsUrl).host}   (NATS_URL replaces it)
  data             ${stack.dataFolder}   (kept; config/secrets.json holds the X-API-KEY of the wallet content API)
  logs             ${stack.logFile}

Offer a credential to a wallet:

  ${offerCurl(stack, SAMPLE_TYPE)}

For an EU wallet, the type is ${EUDI_SAMPLE_TYPE}, and the issuer ${stack.issuerUrl}/${EUDI_SAMPLE_ISSUER}.

Ask a wallet to present it:

  ${requestCurl(stack)}
${offers}
In another terminal, eval "$(npx vestibule local)" sets these addresses and keys: docs/tutorials begin so.

Ctrl-C stops everything; "npm start" continues with the same data, "npm run reset" deletes it.
`;
}

const addressesOf = ({ managementUrl, baseUrl, issuerUrl }: Stack) => ({ managementUrl, baseUrl, issuerUrl });

/** Resolves on the first signal; a second one ends the process immediately (children end with their parent). */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) process.exit(1);
        resolve(signal);
      });
    }
  });
}

/** Where a backend on this machine may receive callbacks: the port of the sample shop. */
const backendUrlOf = (environment: ToolContext['environment']) =>
  `http://127.0.0.1:${port('SHOP_PORT', environment['SHOP_PORT']) ?? USUAL_PORTS.shop}`;

function readOptions({ environment, root }: ToolContext, receiverUrl: string, { byApp }: GivenSettings) {
  const level = given(environment['LOG_LEVEL']);
  const app: Readonly<Record<string, string>> = level === undefined ? {} : { LOG_LEVEL: level };
  const origins = [new URL(receiverUrl).origin, backendUrlOf(environment)].join(',');
  return {
    dataFolder: given(environment['DATA_FOLDER']) ?? chooseDataFolder(root),
    databaseUrl: given(environment['DATABASE_URL']),
    natsUrl: given(environment['NATS_URL']),
    baseUrl: given(environment['BASE_URL']),
    issuerUrl: given(environment['ISSUER_URL']),
    ports: {
      management: port('MANAGEMENT_PORT', environment['MANAGEMENT_PORT']),
      public: port('PUBLIC_PORT', environment['PUBLIC_PORT']),
    },
    signsCallbacks: true,
    environment: {
      verifier: { ...app, ...byApp.verifier, CALLBACK_ORIGINS: origins },
      // The shortest: a developer who revokes wants to see it.
      issuer: { ...app, STATUS_LIST_TTL_SECONDS: '30', ...byApp.issuer, CALLBACK_ORIGINS: origins },
      'wallet-store': { ...app, ...byApp['wallet-store'] },
      gateway: { ...app, ...byApp.gateway },
    },
  } satisfies Omit<StackOptions, 'callbackUrl'>;
}

/** Takes callbacks, says what became of each, and passes it to the console as soon as there is one. */
async function openReceiver() {
  let toConsole: (callback: ReceivedCallback) => void = () => undefined;
  const receiver = await startCallbackReceiver({
    keep: false,
    onCallback: (callback) => {
      print(describeCallback(callback));
      toConsole(callback);
    },
  });
  return { receiver, passTo: (next: (callback: ReceivedCallback) => void) => (toConsole = next) };
}

/**
 * `npm start`: the whole stack on this machine, kept running, with persistent data. DATABASE_URL, NATS_URL,
 * CALLBACK_URL, BASE_URL, ISSUER_URL, MANAGEMENT_PORT, PUBLIC_PORT, CONSOLE_PORT, SHOP_PORT, DATA_FOLDER and LOG_LEVEL
 * configure it; settings of the services are passed on to them.
 */
export async function main(context: ToolContext): Promise<number> {
  const { environment } = context;
  const consolePort = await choosePort(USUAL_PORTS.console, port('CONSOLE_PORT', environment['CONSOLE_PORT']));
  const { receiver, passTo } = await openReceiver();
  const settings = givenSettings(environment, readCompiledConfigurations(context.root));
  const options = readOptions(context, receiver.url, settings);
  const backend = given(environment['CALLBACK_URL']);
  const callbackUrl = backend ?? receiver.url;
  print(`starting Postgres and NATS, then four services; data in ${options.dataFolder}`);
  for (const line of describeSettings(settings)) print(line);
  let reportEnd: (process: AppProcess) => void = () => undefined;
  const ended = new Promise<AppProcess>((resolve) => (reportEnd = resolve));
  const stack = await startStack({
    ...options,
    callbackUrl,
    developmentHosts: [`127.0.0.1:${consolePort}`],
    onLog: (label, line) => label === 'stack' && print(line),
    onUnexpectedExit: (process) => reportEnd(process),
  });
  const ownCallbacks = backend === undefined ? {} : { callbackUrl: receiver.url };
  const console = await openConsole(context, { stack, port: consolePort, report: print, ...ownCallbacks });
  passTo((callback) => console.addCallback(callback));
  writeRunning(stack.dataFolder, { ...addressesOf(stack), backendUrl: backendUrlOf(environment) });
  const offers = backend === undefined ? await offerSamples({ root: context.root, ...addressesOf(stack) }) : '';
  print(describeStack(stack, callbackUrl, console.url, offers));
  const reason = await Promise.race([untilSignal(), ended]);
  if (reason instanceof AppProcess) print(`\n${reason.describeEnd()}\nstopping`);
  else print(`\n${reason}: stopping`);
  forgetRunning(stack.dataFolder);
  await console.stop();
  await stack.stop();
  await receiver.stop();
  print('stopped');
  return reason instanceof AppProcess ? 1 : 0;
}
