import { startConsole, type Console } from '@vestibule/console-server';
import type { Stack } from '@vestibule/dev-stack';
import { buildConsolePage } from './console-page';

interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly root: string;
}

interface ConsoleChoice {
  readonly stack: Pick<Stack, 'managementUrl' | 'baseUrl' | 'issuerUrl' | 'files'>;
  readonly port: number;
  /** Where flows of the console report to, if the stack reports to another backend. */
  readonly callbackUrl?: string;
  readonly report: (line: string) => void;
}

/** The console of a local stack; its page is built beside it and does not keep anybody waiting. */
export async function openConsole({ root, environment }: Context, choice: ConsoleChoice): Promise<Console> {
  const { stack, port, callbackUrl, report } = choice;
  const page = buildConsolePage({ root, environment, report });
  return startConsole({
    port,
    management: { url: stack.managementUrl },
    local: {
      baseUrl: stack.baseUrl,
      issuerUrl: stack.issuerUrl,
      configFolder: stack.files.folder,
      ...(callbackUrl === undefined ? {} : { callbackUrl }),
    },
    callbackSecrets: [stack.files.secrets.callbackSecret],
    pageFolder: page.folder,
    pageState: () => page.state(),
  });
}
