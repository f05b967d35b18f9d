import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeConfiguration, loadConfiguration, type Definition } from '@vestibule/process';
import { parse } from 'yaml';
import { CONFIGURATION_EXPORTS, readAppConfigurations, type AppName } from './docs/configuration-page';

interface Service {
  readonly build?: { readonly dockerfile: string; readonly args: { readonly APP: string } };
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, object>>;
  readonly stop_grace_period: string;
  readonly ports?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const root = path.resolve(__dirname, '..');
const load = createRequire(__filename);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const configurations = readAppConfigurations(
  (app) => load(path.join(root, 'apps', app, 'src/config.ts')) as object as never,
);
const APPS = Object.keys(CONFIGURATION_EXPORTS) as AppName[];
const SECRETS = '/run/secrets/';
const serviceOf = (app: AppName) => compose.services[app] as Service;

/** What compose puts in for `${NAME:-other}` and `${NAME:?reason}` when only what is demanded is set. */
function interpolated(text: string): string {
  const inner = text
    .replace(/\$\{[A-Z_]+:-([^${}]*)\}/g, '$1')
    .replace(/\$\{[A-Z_]+:\?[^${}]*\}/g, 'http://backend:9000/');
  return inner === text ? text : interpolated(inner);
}

const SAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://role:password@postgres:5432/vestibule',
  SEALING_KEYS: Buffer.alloc(32, 1).toString('base64url'),
  FIRST_API_KEY: Buffer.alloc(32, 1).toString('base64url'),
  CALLBACK_SECRETS: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
};

/** The environment of an app as compose makes it, its secret files in a folder of this test. */
function environmentOf(app: AppName, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(serviceOf(app).environment).map(([name, text]) => {
      if (!text.startsWith(SECRETS)) return [name, interpolated(text)];
      const file = path.join(folder, text.slice(SECRETS.length));
      writeFileSync(file, SAMPLES[name.replace(/_FILE$/, '')] ?? 'sample');
      return [name, file];
    }),
  );
}

describe.each(APPS)('the compose service %s', (app) => {
  const service = serviceOf(app);
  const variables = describeConfiguration(configurations[app] as Definition);
  const set = Object.keys(service.environment);

  it('sets only variables that the configuration knows', () => {
    const known = variables.flatMap(({ names }) => names);
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('sets every mandatory variable', () => {
    const missing = variables.filter(({ mandatory, names }) => mandatory && !names.some((name) => set.includes(name)));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('gets secrets as files, and every file that it names', () => {
    // The URL of a server is a secret only if it has a password.
    const isSecret = (name: string) => !/^\w+:\/\/[^@]+$/.test(service.environment[name] ?? '');
    const secrets = variables.filter(({ secret }) => secret).map(({ name }) => name);
    expect(secrets.filter((name) => set.includes(name) && isSecret(name))).toEqual([]);
    const named = Object.values(service.environment).filter((text) => text.startsWith(SECRETS));
    expect([...(service.secrets ?? [])].sort()).toEqual(named.map((text) => text.slice(SECRETS.length)).sort());
  });

  it('starts with a configuration that is valid as a whole', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-compose-'));
    try {
      expect(Object.keys(loadConfiguration(configurations[app], environmentOf(app, folder)))).not.toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is built from the one Dockerfile and is healthy when it is ready', () => {
    expect(service.build).toMatchObject({ dockerfile: 'deploy/Dockerfile', args: { APP: app } });
    expect(service.healthcheck.test).toEqual(['CMD', 'node', 'health-check.cjs', '/health/ready']);
    const conditions = Object.entries(service.depends_on ?? {}).filter(([name]) => name !== `${app}-migrate`);
    expect(new Set(conditions.map(([, { condition }]) => condition))).toEqual(new Set(['service_healthy']));
  });
});

describe.each(['verifier', 'issuer', 'wallet-store'] as const)('the migrations of %s', (app) => {
  const service = serviceOf(app);
  const migration = compose.services[`${app}-migrate`] as Service;
  const OWNER = 'MIGRATION_DATABASE_URL_FILE';

  it('run before it starts, as the owner of the schema', () => {
    expect(service.depends_on?.[`${app}-migrate`]).toEqual({ condition: 'service_completed_successfully' });
    expect(migration).toMatchObject({ command: ['node', `dist/apps/${app}/main.js`, 'migrate'], restart: 'no' });
    expect(migration.environment).toEqual({
      ...service.environment,
      [OWNER]: expect.stringMatching(SECRETS) as string,
    });
  });

  it('have the secret of the owner, which the service has not', () => {
    const secret = `${app.replace('-', '_')}_migration_database_url`;
    expect([...(migration.secrets ?? [])].sort()).toEqual([...(service.secrets ?? []), secret].sort());
    expect(migration.environment[OWNER]).toBe(SECRETS + secret);
    expect(service.secrets).not.toContain(secret);
  });
});

describe('the compose file', () => {
  it('publishes nothing but the two listeners of the gateway, management on loopback only, and the proxy', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, interpolated(port)]),
    );
    expect(published).toEqual([
      ['gateway', '127.0.0.1:8081:8081'],
      ['gateway', '127.0.0.1:8080:8080'],
      ['proxy', '80:80'],
      ['proxy', '443:443'],
    ]);
  });

  it('lets other services call the management listener by the name of its service', () => {
    const [name] = Object.entries(compose.services).find(([, { build }]) => build?.args.APP === 'gateway') ?? [];
    expect(serviceOf('gateway').environment['MANAGEMENT_HOSTS']?.split(',')).toContain(name);
  });

  it('keeps Postgres, NATS and the wallet store in a network without a way out', () => {
    expect(compose.networks['inside']).toEqual({ internal: true });
    const inside = ['postgres', 'nats', 'wallet-store'].map((name) => compose.services[name]?.networks);
    expect(inside).toEqual([['inside'], ['inside'], ['inside']]);
  });

  it('declares every secret that a service uses, from a file that git does not see', () => {
    const used = Object.values(compose.services).flatMap(({ secrets = [] }) => secrets);
    expect([...new Set(used)].sort()).toEqual(Object.keys(compose.secrets).sort());
    const files = Object.values(compose.secrets).map(({ file }) => file);
    expect(files.every((file) => file.startsWith('./deploy/secrets/'))).toBe(true);
    expect(read('deploy/.gitignore').split('\n')).toContain('secrets/');
  });

  it('has a script that makes every secret but the keys of the certificates', () => {
    const script = read('deploy/make-secrets.sh');
    const made = Object.keys(compose.secrets).filter(
      (name) =>
        script.includes(`keep ${name} `) ||
        script.includes(`\${service}${name.replace(/^(verifier|issuer|wallet_store)/, '')}`) ||
        script.includes(`\${user}${name.replace(/^(gateway|verifier|issuer|wallet_store)/, '')}`) ||
        script.includes(`out secrets/${name} `),
    );
    const copied = Object.keys(compose.secrets).filter((name) => script.includes(`secrets/${name}\n`));
    expect(copied.sort()).toEqual(['access_key', 'issuer_key']);
    expect([...made, ...copied].sort()).toEqual(Object.keys(compose.secrets).sort());
  });

  it('gives every app the time to wait for balancers and to drain', () => {
    const [, delay = ''] = /SHUTDOWN_DELAY_SECONDS=(\d+)/.exec(read('deploy/Dockerfile')) ?? [];
    expect(delay).toBe('5');
    const graces = APPS.map((app) => Number(/^(\d+)s$/.exec(serviceOf(app).stop_grace_period)?.[1]));
    // 20 seconds is what runService gives closing by default.
    expect(graces.every((grace) => grace > Number(delay) + 20)).toBe(true);
  });

  it('mounts files of the repository that exist', () => {
    const mounted = Object.values(compose.services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.startsWith('./') && !volume.startsWith('./deploy/config/'))
      .map((volume) => volume.split(':')[0] as string);
    expect(mounted).not.toEqual([]);
    expect(mounted.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  const text = read('deploy/Dockerfile');
  const lines = text.split('\n');
  const runtime = text.slice(text.indexOf('AS runtime'), text.indexOf('AS app-gateway'));

  it.each(APPS)('has a stage for %s whose program exists after a build', (app) => {
    const stage = text.slice(text.indexOf(`FROM runtime AS app-${app}\n`)).split('\n\n')[0] as string;
    const program = `dist/apps/${app}/main.js`;
    const young = app === 'verifier' ? 8 : 4;
    expect(stage).toContain(`CMD ["node", "--max-semi-space-size=${young}", "${program}"]`);
    expect(existsSync(path.join(root, `apps/${app}/src/main.ts`))).toBe(true);
  });

  it('takes memory as the local stack does, but for the verifier', () => {
    const local = read('libs/dev/dev-stack/src/app-process.ts');
    expect(local).toContain("'--max-semi-space-size=4'");
    expect(local).toContain("environment: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1048576' }");
    expect(runtime).toContain('MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=1048576\n');
  });

  it('has the command vestibule beside every app, built with it', () => {
    expect(text).toContain('RUN node tools/build.cjs apps/${APP} apps/cli libs');
    const { bin } = JSON.parse(read('package.json')) as { bin: Readonly<Record<string, string>> };
    expect(runtime).toContain(`RUN ln -s /app/${bin['vestibule'] ?? 'nothing'} /usr/local/bin/vestibule\n`);
    expect(runtime.indexOf('ln -s')).toBeLessThan(runtime.indexOf('USER node'));
  });

  it.each(APPS)('sets only variables that %s knows', (app) => {
    const stage = text.slice(text.indexOf(`FROM runtime AS app-${app}\n`)).split('\n\n')[0] as string;
    const names = [...stage.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name as string);
    const known = describeConfiguration(configurations[app] as Definition).flatMap(({ names: all }) => all);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('copies from the repository only what exists and what its ignore file lets through', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1))
      .filter((part) => !part.startsWith('--'));
    expect(copied.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const ignore = read('deploy/Dockerfile.dockerignore').split('\n');
    expect(copied.filter((file) => !ignore.includes(`!${file}`))).toEqual([]);
  });

  it('runs as an ordinary user, without npm and without development packages', () => {
    expect(runtime).toContain('USER node');
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
    expect(runtime).toMatch(/rm -rf .*\/usr\/local\/lib\/node_modules/);
    expect(runtime).toContain('COPY --from=packages');
    expect(text).toContain('npm ci --omit=dev');
    expect(runtime).not.toMatch(/npm (ci|install)|apt-get/);
  });

  it('has a health check', () => {
    expect(runtime).toContain('HEALTHCHECK');
  });
});

describe('the configuration of NATS', () => {
  const text = read('deploy/nats.conf').replace(/#.*/g, '');

  it('takes messages of 2 MB and stores nothing', () => {
    expect(text).toMatch(/^max_payload: 2MB$/m);
    expect(text).not.toContain('jetstream');
  });

  it('ends a silent client within 8 s, so that others have answered within 10', () => {
    const numberIn = (line: RegExp) => Number(line.exec(text)?.[1]);
    const [seconds, most] = [numberIn(/^ping_interval: "(\d+)s"$/m), numberIn(/^ping_max: (\d+)$/m)];
    // At first it asks for nothing, because something has just come; at the end it waits for the last answer.
    expect((most + 2) * seconds).toBeLessThanOrEqual(8);
  });
});
