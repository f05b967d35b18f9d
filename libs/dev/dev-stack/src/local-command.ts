import { DomainError } from '@vestibule/foundation';
import { chooseDataFolder } from './data-folder';
import { readRunning, type RunningStack } from './running-stack';
import { workspaceRoot } from './workspace-root';

/** What `vestibule` passes to a command. */
interface LocalInput {
  readonly options: Readonly<Record<string, string>>;
  readonly host: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    print(line: string): void;
    report(line: string): void;
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const TIMEOUT_MILLISECONDS = 5_000;

const variablesOf = ({ managementUrl, baseUrl, issuerUrl, backendUrl, ...stack }: RunningStack) => ({
  VESTIBULE_URL: managementUrl,
  VESTIBULE_PUBLIC_URL: baseUrl,
  VESTIBULE_ISSUER: issuerUrl,
  VESTIBULE_API_KEY: stack.secrets.apiKey,
  VESTIBULE_CALLBACK_SECRET: stack.secrets.callbackSecret,
  VESTIBULE_CONFIG: stack.configFolder,
  BACKEND_URL: backendUrl,
});

async function isAnswering(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    return true;
  } catch {
    return false;
  }
}

/** Prints the variables of the stack that runs on this machine; exit code 1 and one sentence if none does. */
async function run({ options, host }: LocalInput): Promise<number> {
  const folder = host.environment['DATA_FOLDER'] || chooseDataFolder(workspaceRoot);
  let stack: RunningStack;
  try {
    stack = readRunning(folder);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    host.report(error.detail);
    return 1;
  }
  if (!(await isAnswering(stack.managementUrl))) {
    host.report(
      `${stack.managementUrl} does not answer: the stack of ${folder} has ended; "npm start" starts it again`,
    );
    return 1;
  }
  const variables = variablesOf(stack);
  if (options['json'] !== undefined) host.print(JSON.stringify(variables));
  else for (const [name, value] of Object.entries(variables)) host.print(`export ${name}=${quoted(value)}`);
  return 0;
}

/** `vestibule local`: a command that only a checkout has. */
export const localCommand = {
  name: 'local',
  summary: 'prints addresses and keys of the stack of npm start, for your shell; only in a checkout',
  actions: [
    {
      name: '',
      about: 'prints one export for each variable',
      arguments: [],
      options: { json: { about: 'prints one JSON object instead' } },
      run,
    },
  ],
  about: [
    'VESTIBULE_URL is the management listener, VESTIBULE_PUBLIC_URL what wallets reach, VESTIBULE_ISSUER the identifier of\n' +
      'the issuer, VESTIBULE_CONFIG the folder with certificates and types. VESTIBULE_API_KEY is for the wallet content API,\n' +
      'VESTIBULE_CALLBACK_SECRET verifies callbacks, and BACKEND_URL is where your backend may receive them.',
    'DATA_FOLDER names the data folder, if npm start had it. The keys are those of this development stack alone.',
  ],
  examples: [
    ['eval "$(npx vestibule local)"', 'sets the variables in this shell; the tutorials begin with it'],
    ['vestibule local --json', 'the same as JSON'],
  ] as readonly (readonly [string, string])[],
};
