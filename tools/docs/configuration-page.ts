import { configurationMarkdown, type Definition } from '@vestibule/process';

/** The apps, in the order of the page, with the name of the export in each `config.ts`. */
export const CONFIGURATION_EXPORTS = {
  gateway: 'gatewayConfiguration',
  verifier: 'verifierConfiguration',
  issuer: 'issuerConfiguration',
  'wallet-store': 'walletStoreConfiguration',
} as const;

export type AppName = keyof typeof CONFIGURATION_EXPORTS;
export type AppConfigurations = Readonly<Record<AppName, Definition>>;

/** Loads the module `config` of an app: compiled for the command, as TypeScript for the tests. */
export type LoadConfigModule = (app: AppName) => Readonly<Record<string, unknown>>;

/** The configuration of every app. Throws a TypeError if an app does not export it under its name. */
export function readAppConfigurations(load: LoadConfigModule): AppConfigurations {
  const entries = Object.entries(CONFIGURATION_EXPORTS).map(([app, name]) => {
    const definition = load(app as AppName)[name];
    if (typeof definition !== 'object' || definition === null) throw new TypeError(`${app} exports no ${name}`);
    return [app, definition];
  });
  return Object.fromEntries(entries) as AppConfigurations;
}

const INTRODUCTION = `# Configuration

<!-- Written by \`npm run docs\` from the configuration of the four apps. Do not edit. -->

Each process reads its environment once, at startup. If variables are missing or invalid, the process reports all of them together, by
name and never by value, and ends with exit code 2. An empty variable counts as not set. To read a secret from a file, set \`NAME_FILE\`
to its path; a line break at the end of the file is ignored. Setting both \`NAME\` and \`NAME_FILE\` is an error. An unknown variable
that resembles a known one causes a warning in the log. With \`NODE_TLS_REJECT_UNAUTHORIZED=0\`, which makes Node.js accept any
certificate of any host, no process starts and no \`vestibule\` command runs: name the authorities of your hosts in
\`EGRESS_CA_FILE\`, \`CALLBACK_CA_FILE\`, \`NATS_CA_FILE\` and \`DATABASE_CA_FILE\`, and those of status lists that the wallet store
reads in \`NODE_EXTRA_CA_CERTS\`.

See [operations.md](operations.md) for how to use these variables.
`;

/** The page `docs/configuration.md`, before formatting. */
export function configurationPage(apps: AppConfigurations): string {
  const sections = Object.entries(apps).map(([app, definition]) => `## ${app}\n\n${configurationMarkdown(definition)}`);
  return [INTRODUCTION, ...sections].join('\n');
}
