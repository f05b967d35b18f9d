import { createRequire } from 'node:module';
import path from 'node:path';
import { environmentNames } from '@vestibule/process';
import {
  CONFIGURATION_EXPORTS,
  readAppConfigurations,
  type AppConfigurations,
  type AppName,
} from './docs/configuration-page';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the four services that a developer has given along. */
export interface GivenSettings {
  readonly byApp: Readonly<Record<AppName, Readonly<Record<string, string>>>>;
  /** The names that some service gets. */
  readonly passed: readonly string[];
  /** The names that it does not get, because the stack sets them itself. */
  readonly kept: readonly string[];
}

/** Addresses, servers, keys and files of the stack: another value would take it apart. */
const OF_THE_STACK = new RegExp(
  `^(?:DATABASE_|NATS_|HEALTH_|MANAGEMENT_|ISSUER_|PUBLIC_(?:HOST|PORT)$|SEALING_KEYS|FIRST_API_KEY|ACCESS_(?:CERTIFICATE|KEY)|BASE_URL$|${[
    'CALLBACK_(?:URL|ORIGINS|SECRETS)',
    'EGRESS_DEVELOPMENT_HOSTS$',
    '(?:ATTESTATION_)?TRUST_FILE$',
    'TYPE_METADATA_FOLDER$',
    'LOG_LEVEL$',
  ].join('|')})`,
);
/** What `npm start` reads itself. */
const OF_START = /^(?:DATABASE_URL|NATS_URL|CALLBACK_URL|BASE_URL|ISSUER_URL|MANAGEMENT_PORT|PUBLIC_PORT|LOG_LEVEL)$/;

/** The configuration of each app, compiled. */
export function readCompiledConfigurations(root: string): AppConfigurations {
  const load = createRequire(__filename);
  return readAppConfigurations(
    (app) => load(path.join(root, 'dist/apps', app, 'src/config.js')) as Readonly<Record<string, unknown>>,
  );
}

/** What of an environment each service reads, without what the stack decides. */
export function givenSettings(environment: Environment, configurations: AppConfigurations): GivenSettings {
  const isGiven = (name: string) => (environment[name] ?? '') !== '';
  const namesOf = (app: AppName) => Object.values(configurations[app]).flatMap(environmentNames).filter(isGiven);
  const apps = Object.keys(CONFIGURATION_EXPORTS) as AppName[];
  const all = [...new Set(apps.flatMap(namesOf))].sort();
  const settingsOf = (app: AppName) =>
    Object.fromEntries(
      namesOf(app)
        .filter((name) => !OF_THE_STACK.test(name))
        .map((name) => [name, environment[name] ?? '']),
    );
  return {
    byApp: Object.fromEntries(apps.map((app) => [app, settingsOf(app)])) as GivenSettings['byApp'],
    passed: all.filter((name) => !OF_THE_STACK.test(name)),
    kept: all.filter((name) => OF_THE_STACK.test(name) && !OF_START.test(name)),
  };
}

/** What a developer is told about them, if there are any. */
export function describeSettings({ passed, kept }: GivenSettings): readonly string[] {
  return [
    ...(passed.length > 0 ? [`from your environment, for the services: ${passed.join(', ')}`] : []),
    ...(kept.length > 0 ? [`in your environment, but set by the stack itself: ${kept.join(', ')}`] : []),
  ];
}
