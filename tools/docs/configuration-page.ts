import { configurationMarkdown, type Definition } from '@vestibule/process';

/** The apps, in the order of the reference, with the name that `config.ts` of each exports. */
export const CONFIGURATION_EXPORTS = {
  gateway: 'gatewayConfiguration',
  verifier: 'verifierConfiguration',
  issuer: 'issuerConfiguration',
  'wallet-store': 'walletStoreConfiguration',
} as const;

export type AppName = keyof typeof CONFIGURATION_EXPORTS;
export type AppConfigurations = Readonly<Record<AppName, Definition>>;

/** Gives the module `config` of an app: compiled for the command, as TypeScript for the tests. */
export type LoadConfigModule = (app: AppName) => Readonly<Record<string, unknown>>;

/** The configuration of every app. Throws a TypeError when an app does not export it under its name. */
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

Each process reads its environment once, at its start. What is wrong is reported together, by name and never by value, and
the process ends with exit code 2. An empty variable counts as absent. A secret may also come from a file: \`NAME_FILE\` holds
the path, and a line break at the file's end does not count; \`NAME\` and \`NAME_FILE\` together are a fault. A variable that is
unknown but looks like a known one is a warning in the log.

How the values belong together is in [operations.md](operations.md).
`;

/** The page \`docs/configuration.md\`, before it is formatted. */
export function configurationPage(apps: AppConfigurations): string {
  const sections = Object.entries(apps).map(([app, definition]) => `## ${app}\n\n${configurationMarkdown(definition)}`);
  return [INTRODUCTION, ...sections].join('\n');
}
