import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { VERSION } from '@vestibule/foundation';
import { ARCHITECTURE_PAGE, architecturePage } from './docs/architecture-page';
import { CHART_ALERTS, chartAlerts } from './docs/chart-alerts';
import { clientPages } from './docs/client-pages';
import { configurationPage, readAppConfigurations, type LoadConfigModule } from './docs/configuration-page';
import { DOCTOR_PAGE, doctorPage } from './docs/doctor-page';
import { errorsPage } from './docs/errors-page';
import { contractMapPage } from './docs/contract-map';
import {
  BUS_SUBJECTS_FILE,
  busSubjects,
  contractsAmong,
  NATS_CONFIGURATION,
  natsConfiguration,
} from './docs/nats-configuration';
import { openApiPages, type DescribeApis } from './docs/openapi-pages';
import { OPERATIONS_PAGE, operationsPage, type DescribePublicPaths } from './docs/operations-page';
import { PERFORMANCE_PAGE, performancePage } from './docs/performance-page';
import { SIZING_PAGE, sizingPage } from './docs/sizing-page';
import { specMapPage } from './docs/spec-map-page';
import { printSpecResults } from './docs/spec-map-results';

type Pages = Readonly<Record<string, string>>;

/** Pages as formatted by this repository's formatter. */
function formatPages(root: string, pages: Pages): Pages {
  const output = execFileSync(process.execPath, [path.join(root, 'tools/format-texts.cjs')], {
    cwd: root,
    encoding: 'utf8',
    input: JSON.stringify(pages),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output) as Pages;
}

/** The sources of the pages. Tools may not import apps, so the command passes in the compiled modules. */
export interface AppModules {
  /** Loads the module `config` of an app. */
  readonly loadConfig: LoadConfigModule;
  /** From the module `describe-apis` of the gateway. */
  readonly describeApis: DescribeApis;
  /** From the same module. */
  readonly describePublicPaths: DescribePublicPaths;
  /** The library of contracts, passed in because a static import of everything would count every export as used. */
  readonly contracts: Readonly<Record<string, unknown>>;
}

/** The generated pages by their path in the repository. */
export async function generatedPages(
  root: string,
  { loadConfig, describeApis, describePublicPaths, contracts }: AppModules,
): Promise<ReadonlyMap<string, string>> {
  const documents = await describeApis(VERSION);
  const pages: Pages = {
    'docs/configuration.md': configurationPage(readAppConfigurations(loadConfig)),
    'docs/contract-map.md': contractMapPage(root),
    [DOCTOR_PAGE]: doctorPage(root),
    'docs/errors.md': errorsPage(),
    'docs/spec-map.md': specMapPage(root),
    [PERFORMANCE_PAGE]: performancePage(root),
    [SIZING_PAGE]: sizingPage(root),
    [ARCHITECTURE_PAGE]: architecturePage(root),
    [OPERATIONS_PAGE]: operationsPage(root, describePublicPaths),
    ...openApiPages(documents),
    [BUS_SUBJECTS_FILE]: busSubjects(contractsAmong(contracts)),
  };
  const sources = Object.entries(clientPages(root, documents));
  return new Map([
    ...Object.entries(formatPages(root, pages)),
    ...sources,
    [NATS_CONFIGURATION, natsConfiguration(contractsAmong(contracts))],
    [CHART_ALERTS, chartAlerts(root)],
  ]);
}

/** The pages whose files differ or are missing. */
export function stalePages(root: string, pages: ReadonlyMap<string, string>): string[] {
  return [...pages].flatMap(([file, text]) => {
    const full = path.join(root, file);
    return existsSync(full) && readFileSync(full, 'utf8') === text ? [] : [file];
  });
}

/**
 * `npm run docs`: writes the generated pages. With `--check` it only reports which are stale, with exit code 1; with
 * `--results <file>` it prints the result of each requirement in a test run (`jest --json --outputFile`).
 */
export async function main({ root, argv }: { readonly root: string; readonly argv: readonly string[] }) {
  const [option, file] = argv;
  if (option === '--results' && file !== undefined) {
    return printSpecResults(root, file, (text) => void process.stdout.write(text));
  }
  const load = createRequire(__filename);
  const compiled = (app: string, name: string) =>
    load(path.join(root, 'dist/apps', app, 'src', `${name}.js`)) as object;
  const pages = await generatedPages(root, {
    loadConfig: (app) => compiled(app, 'config') as ReturnType<LoadConfigModule>,
    ...(compiled('gateway', 'describe-apis') as Pick<AppModules, 'describeApis' | 'describePublicPaths'>),
    contracts: load(path.join(root, 'dist/libs/platform/contracts/src/index.js')) as AppModules['contracts'],
  });
  const stale = stalePages(root, pages);
  if (argv.includes('--check')) {
    for (const file of stale) process.stdout.write(`stale: ${file} (run "npm run docs")\n`);
    return stale.length === 0 ? 0 : 1;
  }
  for (const file of stale) writeFileSync(path.join(root, file), pages.get(file) as string);
  process.stdout.write(stale.length === 0 ? 'the generated pages are up to date\n' : `written: ${stale.join(', ')}\n`);
  return 0;
}
