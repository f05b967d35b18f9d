import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parse } from 'yaml';

interface Container {
  readonly image?: string;
  readonly build?: { readonly args: object };
  readonly restart?: string;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly ulimits?: object;
  readonly init?: boolean;
  readonly logging?: object;
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}
type Containers = Readonly<Record<string, Container>>;

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const servicesIn = (file: string) => (parse(read(file), { merge: true }) as { readonly services: Containers }).services;
const product = servicesIn('docker-compose.yml');
const observed = servicesIn('deploy/observability/compose.yaml');
const APPS = ['gateway', 'verifier', 'issuer', 'wallet-store'];
const servers = ['prometheus', 'grafana'].map((name) => [name, observed[name] as Container] as const);
const all = [...Object.entries(product), ...servers];

describe('every container', () => {
  it.each(all)('%s has limits, a log that ends, and no way to more privileges', (_name, container) => {
    expect(container).toMatchObject({
      mem_limit: expect.stringMatching(/^\d+[mg]$/) as string,
      pids_limit: expect.any(Number) as number,
      logging: { driver: 'json-file', options: { 'max-size': '50m', 'max-file': '5' } },
      security_opt: ['no-new-privileges:true'],
    });
  });

  const programs = Object.entries(product).filter(([, { image = '' }]) => image.includes('VESTIBULE_VERSION'));
  it.each(programs)('%s writes no core dump, which would contain claims and keys', (_name, container) => {
    expect(container.ulimits).toEqual({ core: 0 });
  });

  it.each(programs)(
    '%s is not the first process, to which a signal before its first line would be lost',
    (_name, container) => {
      expect(container.init).toBe(true);
    },
  );

  it.each(programs)('%s comes from no registry of strangers while it is not built yet', (_name, { image = '' }) => {
    expect(image).toMatch(/^\$\{VESTIBULE_REGISTRY:-localhost\/vestibule\}\//);
  });

  it('is started again when it ends, but for migrations', () => {
    const restarts = all.map(([name, { restart }]) => [name.endsWith('-migrate'), restart]);
    expect(new Set(restarts.map(String))).toEqual(new Set(['false,unless-stopped', 'true,no']));
  });

  it('takes its image from a variable, and that of others in a version', () => {
    const images = all.map(([, { image = '' }]) => image);
    expect(images.filter((image) => !/^\$\{[A-Z_]+:-[^}]+\}/.test(image))).toEqual([]);
    const others = images.filter((image) => !image.includes('VESTIBULE_VERSION'));
    expect(others.filter((image) => !/:[v\d][^}]*\}$/.test(image))).toEqual([]);
    const args = APPS.map((name) => product[name]?.build?.args);
    expect(args).toEqual(APPS.map((name) => ({ APP: name, NODE_IMAGE: '${NODE_IMAGE:-node:22-slim}' })));
  });
});

describe('the build of the images', () => {
  const text = read('deploy/Dockerfile');

  it('needs no image but NODE_IMAGE, which may come from a registry of your own', () => {
    expect(text).not.toMatch(/^# *syntax *=/im);
    const bases = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, base = '', name = '']) => [base, name]);
    const stages = bases.map(([, name]) => name);
    const foreign = bases.filter(([base = '']) => !stages.includes(base) && !/^(?:keys|app)-\$\{/.test(base));
    expect(new Set(foreign.map(([base]) => base))).toEqual(new Set(['${NODE_IMAGE}']));
  });

  it('makes what it copies into them readable, whatever the umask of the clone was', () => {
    const runtime = text.slice(text.indexOf('AS runtime\n'));
    const copies = runtime.split('\n').filter((line) => line.startsWith('COPY ') && !line.includes('--from='));
    expect(copies.filter((line) => !line.startsWith('COPY --chmod=644 '))).toEqual([]);
    expect(copies).not.toEqual([]);
  });

  it('compiles the package of devices without a download from nodejs.org', () => {
    expect(text).toContain('RUN npm_config_nodedir=/usr/local npm ci');
  });

  it('happens once for each image, for otherwise the next start would replace the containers', () => {
    const built = Object.entries(product).filter(([, { build }]) => build);
    expect(built.map(([name]) => name).sort()).toEqual([...APPS].sort());
  });
});

describe('Prometheus and Grafana of deploy/observability/compose.yaml', () => {
  it('are published on loopback alone', () => {
    expect(servers.flatMap(([, { ports = [] }]) => ports)).toEqual(['127.0.0.1:9090:9090', '127.0.0.1:3000:3000']);
  });

  it('scrape every app where it then serves metrics', () => {
    const { scrape_configs: jobs } = parse(read('deploy/observability/prometheus.yaml')) as {
      readonly scrape_configs: readonly { readonly dns_sd_configs: readonly { names: string[]; port: number }[] }[];
    };
    const [{ names, port } = { names: [], port: 0 }] = jobs[0]?.dns_sd_configs ?? [];
    expect([[...names].sort(), port]).toEqual([[...APPS].sort(), 8082]);
    for (const app of APPS) expect(observed[app]?.environment?.['HEALTH_HOST']).toBe('0.0.0.0');
    expect(observed['gateway']?.environment?.['HEALTH_PORT']).toBe('8082');
    for (const app of APPS.slice(1)) expect(read('deploy/Dockerfile')).toContain(`app-${app}\nENV HEALTH_PORT=8082`);
  });

  it('mount files that exist: rules, source and board', () => {
    const files = servers.flatMap(([, { volumes = [] }]) => volumes).map((volume) => volume.split(':')[0] as string);
    const own = files.filter((file) => file.startsWith('./'));
    expect(own.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    for (const name of ['alerts.yaml', 'board.json', 'prometheus.yaml'])
      expect(own).toContain(`./deploy/observability/${name}`);
  });
});

describe('the health check of the images', () => {
  const asked: string[] = [];
  const listeners: Server[] = [];
  afterAll(() => listeners.forEach((server) => server.close()));

  async function listen(name: string, status: number): Promise<string> {
    const server = createServer((request, response) => {
      asked.push(`${name} ${request.url}`);
      response.writeHead(status).end();
    });
    listeners.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return String((server.address() as AddressInfo).port);
  }

  const check = (env: Readonly<Record<string, string>>) =>
    new Promise<number>((resolve) => {
      const program = path.join(root, 'deploy/health-check.cjs');
      execFile(process.execPath, [program, '/health/ready'], { env }, (error) => resolve(error ? 1 : 0));
    });

  it('asks the management listener of a gateway, and of others the health listener', async () => {
    const [MANAGEMENT_PORT, HEALTH_PORT] = [await listen('management', 200), await listen('health', 503)];
    expect(await check({ MANAGEMENT_PORT, HEALTH_PORT })).toBe(0);
    expect(await check({ HEALTH_PORT })).toBe(1);
    expect(asked).toEqual(['management /health/ready', 'health /health/ready']);
  });
});
