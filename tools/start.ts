import {
  AppProcess,
  chooseDataFolder,
  choosePort,
  EUDI_SAMPLE_ISSUER,
  EUDI_SAMPLE_TYPE,
  SAMPLE_TYPE,
  sampleQuery,
  startCallbackReceiver,
  startStack,
  type ReceivedCallback,
  type Stack,
  type StackOptions,
} from '@vestibule/dev-stack';
import { openConsole } from './start-console';

export interface ToolContext {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The checkout. */
  readonly root: string;
}

const OFFER_SECONDS = 86_400;

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** The ports that are used if they are free; docs/local-stack.md lists all. */
const USUAL_PORTS = { console: 8090, shop: 3000 };

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

const CLAIMS = { given_name: 'Ada', family_name: 'Example', birthdate: '1984-08-12' };

function offerCurl(stack: Described, type: string): string {
  return jsonPost(`${stack.managementUrl}/offers`, {
    credential_configuration_id: type,
    claims: CLAIMS,
    tx_code: { input_mode: 'numeric', length: 6 },
  });
}

/** An offer of a sample type; undefined if the stack has no such type any more. */
async function offerOf({ managementUrl }: Described, type: string): Promise<string | undefined> {
  const body = { credential_configuration_id: type, claims: CLAIMS, expires_in: OFFER_SECONDS };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${managementUrl}/offers`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) return undefined;
  return ((await response.json()) as { credential_offer_uri: string }).credential_offer_uri;
}

/** What `npm start` prints about the offers that it made, as far as there are types for them. */
export function describeOffers(open: string | undefined, eudi: string | undefined): string {
  const lines = [
    ...(open === undefined ? [] : [`  any wallet       ${open}`]),
    ...(eudi === undefined ? [] : [`  EU wallet        ${eudi}   (attested keys: see docs/local-stack.md)`]),
  ];
  return lines.length === 0 ? '' : `\nOffers for a day:\n\n${lines.join('\n')}\n`;
}

function requestCurl(stack: Described): string {
  return jsonPost(`${stack.managementUrl}/oidc4vp`, { dcql_query: sampleQuery(stack.issuerUrl) });
}

/** An offer of each sample type, to try a wallet with. */
async function offersOf(stack: Described): Promise<string> {
  const [open, eudi] = await Promise.all([SAMPLE_TYPE, EUDI_SAMPLE_TYPE].map((type) => offerOf(stack, type)));
  return describeOffers(open, eudi);
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
${offers}
Ask a wallet to present it:

  ${requestCurl(stack)}

Ctrl-C stops everything; "npm start" continues with the same data, "npm run reset" deletes it.
`;
}

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

function readOptions({ environment, root }: ToolContext, receiverUrl: string): Omit<StackOptions, 'callbackUrl'> {
  const level = given(environment['LOG_LEVEL']);
  const app: Readonly<Record<string, string>> = level === undefined ? {} : { LOG_LEVEL: level };
  const shopPort = port('SHOP_PORT', environment['SHOP_PORT']) ?? USUAL_PORTS.shop;
  const origins = [new URL(receiverUrl).origin, `http://127.0.0.1:${shopPort}`].join(',');
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
      verifier: { ...app, CALLBACK_ORIGINS: origins },
      // The shortest: a developer who revokes wants to see it.
      issuer: { ...app, CALLBACK_ORIGINS: origins, STATUS_LIST_TTL_SECONDS: '30' },
      'wallet-store': app,
      gateway: app,
    },
  };
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
 * configure it.
 */
export async function main(context: ToolContext): Promise<number> {
  const { environment } = context;
  const consolePort = await choosePort(USUAL_PORTS.console, port('CONSOLE_PORT', environment['CONSOLE_PORT']));
  const { receiver, passTo } = await openReceiver();
  const options = readOptions(context, receiver.url);
  const backend = given(environment['CALLBACK_URL']);
  const callbackUrl = backend ?? receiver.url;
  print(`starting Postgres, NATS and four services; data in ${options.dataFolder}`);
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
  print(describeStack(stack, callbackUrl, console.url, backend === undefined ? await offersOf(stack) : ''));
  const reason = await Promise.race([untilSignal(), ended]);
  if (reason instanceof AppProcess) print(`\n${reason.describeEnd()}\nstopping`);
  else print(`\n${reason}: stopping`);
  await console.stop();
  await stack.stop();
  await receiver.stop();
  print('stopped');
  return reason instanceof AppProcess ? 1 : 0;
}
