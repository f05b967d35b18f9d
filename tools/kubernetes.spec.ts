import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describeConfiguration, type Definition } from '@vestibule/process';
import { parse } from 'yaml';
import { CONFIGURATION_EXPORTS, readAppConfigurations, type AppName } from './docs/configuration-page';

interface Reference {
  readonly name: string;
  readonly key: string;
}
interface App {
  readonly env: Readonly<Record<string, string>>;
  readonly secretFiles: Readonly<Record<string, Reference>>;
  readonly configMaps: readonly { readonly name: string; readonly path: string }[];
  readonly migrationDatabaseUrl?: Reference;
}
interface Values {
  readonly env: Readonly<Record<string, string>>;
  readonly configMaps: App['configMaps'];
  readonly apps: Readonly<Record<AppName, App>>;
  readonly networkPolicy: Readonly<Record<string, unknown>>;
}

const root = path.resolve(__dirname, '..');
const chart = path.join(root, 'deploy/kubernetes');
const read = (file: string) => readFileSync(path.join(chart, file), 'utf8');
const load = createRequire(__filename);
const values = parse(read('values.yaml')) as Values;
const templates = readdirSync(path.join(chart, 'templates')).map((file) => read(`templates/${file}`));
const all = templates.join('\n');
const configurations = readAppConfigurations(
  (app) => load(path.join(root, 'apps', app, 'src/config.ts')) as object as never,
);
const APPS = Object.keys(CONFIGURATION_EXPORTS) as AppName[];
const APPS_WITH_TABLES = APPS.filter((app) => app !== 'gateway');

/** The variables that the chart sets itself, for every app and for this one. */
function ownVariables(app: AppName): string[] {
  const helpers = read('templates/_helpers.tpl');
  const [, block = ''] = /define "vestibule\.ownEnv" -\}\}([^]*?)\{\{- end -\}\}/.exec(helpers) ?? [];
  const namesIn = (text: string) => [...text.matchAll(/^([A-Z_]+):/gm)].map(([, name = '']) => name);
  const parts = block.split(/\{\{- (?:if eq \.app "([a-z-]+)"|else|end) \}\}/);
  const shared = namesIn(parts[0] ?? '');
  const own = parts.flatMap((part, index) => (part === app ? namesIn(parts[index + 1] ?? '') : []));
  return [...shared, ...own, ...(app === 'gateway' ? [] : ['HEALTH_HOST'])];
}

describe.each(APPS)('the chart sets for %s', (app) => {
  const { env, secretFiles } = values.apps[app];
  const variables = describeConfiguration(configurations[app] as Definition);
  const files = Object.keys(secretFiles);
  const plain = [...ownVariables(app), ...Object.keys(values.env), ...Object.keys(env)];

  it('only variables that the configuration knows', () => {
    const known = variables.flatMap(({ names }) => names);
    const set = [...plain, ...files, ...files.map((name) => `${name}_FILE`)];
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('every mandatory variable', () => {
    const missing = variables.filter(
      ({ mandatory, names }) => mandatory && !names.some((name) => [...plain, ...files].includes(name)),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('secrets by reference alone', () => {
    const secrets = variables.filter(({ secret }) => secret).map(({ name }) => name);
    // The URL of NATS has no password: user and password are variables of their own.
    expect(plain.filter((name) => secrets.includes(name))).toEqual(['NATS_URL']);
    expect(files.filter((name) => !secrets.includes(name))).toEqual([]);
  });

  it('files below what is mounted', () => {
    const named = [...Object.values(values.env), ...Object.values(env)].filter((text) => text.startsWith('/'));
    const mounted = [...values.configMaps, ...values.apps[app].configMaps].map(({ path: place }) => place);
    expect(named.filter((file) => !mounted.some((place) => file === place || file.startsWith(`${place}/`)))).toEqual(
      [],
    );
  });
});

describe.each(APPS_WITH_TABLES)('the migrations of %s', (app) => {
  it('have a secret of their own', () => {
    const { migrationDatabaseUrl, secretFiles } = values.apps[app];
    expect(migrationDatabaseUrl?.name).toBeTruthy();
    expect(Object.values(secretFiles).map(({ name }) => name)).not.toContain(migrationDatabaseUrl?.name);
  });
});

describe('the chart', () => {
  it('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('uses the ports, the user and the paths of the images', () => {
    const dockerfile = readFileSync(path.join(root, 'deploy/Dockerfile'), 'utf8');
    expect(dockerfile).toContain('MANAGEMENT_PORT=8081 PUBLIC_PORT=8080');
    expect(dockerfile).toContain('HEALTH_PORT=8082');
    const ports = [...all.matchAll(/containerPort: (\d+)/g)].map(([, port]) => port);
    expect(ports).toEqual(['8080', '8081', '8082']);
    expect(new Set([...all.matchAll(/\/health\/\w+/g)].map(([one]) => one))).toEqual(
      new Set(['/health/live', '/health/ready']),
    );
    expect(all).toContain('command: [node, dist/apps/{{ $app }}/main.js, migrate]');
  });

  it('gives every app the time to wait for balancers and to drain', () => {
    const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
    const [, grace] = /stop_grace_period: (\d+)s/.exec(compose) ?? [];
    const [, spare, delay] =
      /terminationGracePeriodSeconds: \{\{ add (\d+) \(coalesce .* (\d+) \| int\)/.exec(all) ?? [];
    expect(Number(spare) + Number(delay)).toBe(Number(grace));
    expect(readFileSync(path.join(root, 'deploy/Dockerfile'), 'utf8')).toContain(
      `SHUTDOWN_DELAY_SECONDS=${String(delay)}`,
    );
  });

  it('has no pod that may write to its disk, be root, or use the API of the cluster', () => {
    for (const rule of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'automountServiceAccountToken: false'])
      expect(all).toContain(rule);
    const pods = all.match(/^ *containers:/gm) ?? [];
    expect(all.match(/include "vestibule\.pod"/g)).toHaveLength(pods.length);
    expect(all.match(/include "vestibule\.containerSecurity"/g)).toHaveLength(pods.length);
  });

  it('opens the management listener to nobody that is not named, and not to who reads metrics', () => {
    expect(values.networkPolicy).toMatchObject({ enabled: true, management: [], metrics: [] });
    const policies = read('templates/network-policies.yaml');
    expect(policies.match(/port: management/g)).toHaveLength(1);
    expect(policies).toMatch(/\{\{- with \$policy\.management \}\}\s+- ports: \[\{ port: management \}\]/);
  });

  it('lets migrations out as the services, whose devices they need to unwrap sealing keys', () => {
    const policies = read('templates/network-policies.yaml').split('\n---\n');
    const [migrations = '', ...others] = policies.filter((policy) => policy.includes('}}-migrate\n'));
    expect(others).toEqual([]);
    expect(migrations).toContain('(printf "%s-migrate" $app)');
    for (const way of [
      '"vestibule.waysToDns"',
      '"vestibule.waysToPostgres"',
      '"vestibule.waysOutside"',
      '$config.egress',
    ])
      expect(migrations).toContain(way);
    // Helm changes what is no hook only when the jobs have ended, and removes hooks when all of them have.
    const hook = 'helm.sh/hook: pre-install,pre-upgrade';
    const removal = 'helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded';
    for (const line of [hook, removal]) {
      expect(migrations).toContain(line);
      expect(read('templates/migrations.yaml')).toContain(line);
    }
    expect(migrations).toContain('helm.sh/hook-weight: "-1"');
    expect(read('templates/migrations.yaml')).not.toContain('hook-weight');
  });

  it('asks each pod about itself alone: the management listener reports on every service', () => {
    expect(read('templates/_helpers.tpl')).toContain('httpGet: { path: {{ .path }}, port: health }');
    expect(all).not.toMatch(/path: \/health\/\w+, port: management/);
  });

  it('has a schema that knows every value, and every value is in it', () => {
    const schema = JSON.parse(read('values.schema.json')) as { properties: Record<string, { properties?: object }> };
    const names = Object.keys(schema.properties).filter((name) => name !== 'global');
    expect(names.sort()).toEqual(Object.keys(values).sort());
    const policy = Object.keys(schema.properties['networkPolicy']?.properties ?? {});
    expect(policy.sort()).toEqual(Object.keys(values.networkPolicy).sort());
  });
});
