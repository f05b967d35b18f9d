import {
  AppProcess,
  chooseDataFolder,
  SAMPLE_TYPE,
  sampleQuery,
  startCallbackReceiver,
  startStack,
  type CallbackReceiver,
  type ReceivedCallback,
  type Stack,
  type StackOptions,
} from '@vestibule/dev-stack';

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

function offerCurl(stack: Described): string {
  return jsonPost(`${stack.managementUrl}/offers`, {
    credential_configuration_id: SAMPLE_TYPE,
    claims: { given_name: 'Ada', family_name: 'Example', birthdate: '1984-08-12' },
    tx_code: { input_mode: 'numeric', length: 6 },
  });
}

function requestCurl(stack: Described): string {
  return jsonPost(`${stack.managementUrl}/oidc4vp`, { dcql_query: sampleQuery(stack.issuerUrl) });
}

/** What `npm start` prints when everything runs: the addresses, and a call for each flow. */
export function describeStack(stack: Described, callbackUrl: string, ownReceiver: boolean): string {
  const postgres = stack.databaseAdminUrl === undefined ? '' : new URL(stack.databaseAdminUrl).host;
  const receiver = ownReceiver
    ? 'printed here, without claims (CALLBACK_URL=http://… sends them to your backend)'
    : `go to ${callbackUrl}`;
  return `
Vestibule is running.

  management API   ${stack.managementUrl}   (for your backend)
  API reference    ${stack.managementUrl}/docs   (as JSON: ${stack.managementUrl}/openapi.json)
  public listener  ${stack.baseUrl}   (for wallets)
  callbacks        ${receiver}
  Postgres         ${postgres}   (DATABASE_URL replaces it)
  NATS             ${new URL(stack.natsUrl).host}   (NATS_URL replaces it)
  data             ${stack.dataFolder}   (kept; config/secrets.json holds the X-API-KEY of the wallet content API)
  logs             ${stack.logFile}

Offer a credential to a wallet:

  ${offerCurl(stack)}

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

async function stopAll(stack: Stack, receiver: CallbackReceiver | undefined): Promise<void> {
  await stack.stop();
  await receiver?.stop();
}

function readOptions({ environment, root }: ToolContext): Omit<StackOptions, 'callbackUrl'> {
  const level = given(environment['LOG_LEVEL']);
  const app: Readonly<Record<string, string>> = level === undefined ? {} : { LOG_LEVEL: level };
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
    environment: { verifier: app, issuer: app, 'wallet-store': app, gateway: app },
  };
}

/**
 * `npm start`: the whole stack on this machine, kept running, with persistent data. DATABASE_URL, NATS_URL,
 * CALLBACK_URL, BASE_URL, ISSUER_URL, MANAGEMENT_PORT, PUBLIC_PORT, DATA_FOLDER and LOG_LEVEL configure it.
 */
export async function main(context: ToolContext): Promise<number> {
  const options = readOptions(context);
  const backend = given(context.environment['CALLBACK_URL']);
  const receiver =
    backend === undefined
      ? await startCallbackReceiver({ onCallback: (callback) => print(describeCallback(callback)) })
      : undefined;
  const callbackUrl = backend ?? (receiver as CallbackReceiver).url;
  print(`starting; data in ${options.dataFolder}`);
  let reportEnd: (process: AppProcess) => void = () => undefined;
  const ended = new Promise<AppProcess>((resolve) => (reportEnd = resolve));
  const stack = await startStack({
    ...options,
    callbackUrl,
    onLog: (label, line) => label === 'stack' && print(line),
    onUnexpectedExit: (process) => reportEnd(process),
  });
  print(describeStack(stack, callbackUrl, backend === undefined));
  const reason = await Promise.race([untilSignal(), ended]);
  if (reason instanceof AppProcess) print(`\n${reason.describeEnd()}\nstopping`);
  else print(`\n${reason}: stopping`);
  await stopAll(stack, receiver);
  print('stopped');
  return reason instanceof AppProcess ? 1 : 0;
}
