import { deepStrictEqual } from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfiguration } from '@vestibule/process';
import { PythonMissing, pythonWith } from '@vestibule/testkit';
import { parse, parseAllDocuments } from 'yaml';
import { CHART_ALERTS } from '../docs/chart-alerts';
import { CONFIGURATION_EXPORTS, readAppConfigurations, type AppName } from '../docs/configuration-page';
import type { ToolContext } from '../start';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const CHART = 'deploy/kubernetes';
const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const USAGE = 'usage: node tools/run.cjs proofs/chart';
const SECRETS = '/run/secrets/vestibule/';
/** The oldest version of the chart's `kubeVersion`, and the newest whose schemas are there. */
const KUBERNETES = ['1.27.0', '1.37.0'];

const ADDRESSES = { baseUrl: 'https://wallets.example', callbackUrl: 'https://backend.example/callbacks' };
const label = (name: string) => ({ podSelector: { matchLabels: { app: name } } });

/** Values of installations, from the smallest to one that uses everything. */
const INSTALLATIONS: Readonly<Record<string, object>> = {
  smallest: ADDRESSES,
  everything: {
    ...ADDRESSES,
    issuerUrl: 'https://issuer.example',
    image: { registry: 'registry.example/vestibule', tag: '1.2.3', pullSecrets: [{ name: 'registry' }] },
    env: { LOG_LEVEL: 'debug' },
    apps: {
      gateway: {
        env: { RATE_LIMIT_PER_MINUTE: 1_000_000, SHUTDOWN_DELAY_SECONDS: 30 },
        tag: '1.2.2',
        egress: [{ to: [label('login')], ports: [{ port: 443 }] }],
      },
      verifier: {
        env: { ACCESS_CERTIFICATES_FOLDER: '/config/more', TRUSTED_LISTS_FOLDER: '/var/lists' },
        secretFolders: [{ name: 'vestibule-access-certificates', path: '/config/more' }],
        writableFolders: ['/var/lists'],
        egress: [{ to: [label('vault')], ports: [{ port: 8200 }] }],
      },
    },
    managementTls: true,
    networkPolicy: {
      management: [label('shop')],
      public: [label('ingress')],
      metrics: [label('prometheus')],
      nats: [label('nats')],
      postgres: [{ ipBlock: { cidr: '10.0.0.5/32' } }],
      outside: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }],
      natsPods: { app: 'nats' },
      postgresPods: { app: 'postgres' },
    },
    ingress: { enabled: true, host: 'wallets.example', className: 'nginx', tlsSecret: 'wallets-tls' },
    metrics: { podMonitor: true, prometheusRule: true, labels: { release: 'prometheus' } },
    serviceAccount: { name: 'vestibule' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    priorityClassName: 'high',
    podAnnotations: { note: 'text' },
  },
  'without the wallet store': {
    ...ADDRESSES,
    apps: { 'wallet-store': { enabled: false }, verifier: { autoscaling: { enabled: false } } },
    migrations: { enabled: false },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
  },
  'without the issuer': { ...ADDRESSES, apps: { issuer: { enabled: false } }, metrics: { prometheusRule: true } },
};

/** Values that the chart refuses, and what it says. */
const REFUSED: readonly (readonly [object, RegExp])[] = [
  [{}, /set baseUrl/],
  [{ baseUrl: ADDRESSES.baseUrl }, /set callbackUrl/],
  [{ ...ADDRESSES, baseUrl: 'http://wallets.example' }, /baseUrl/],
  [{ ...ADDRESSES, baseURL: 'https://wallets.example' }, /baseURL/],
  [{ ...ADDRESSES, apps: { verifier: { secretFiles: { ACCESS_KEY: 'a private key' } } } }, /ACCESS_KEY/],
  [{ ...ADDRESSES, ingress: { enabled: true } }, /set ingress\.host/],
];

/** As long as Helm allows; names of Services may have ten characters more. */
const LONGEST_RELEASE = 'r'.repeat(53);
const LONGEST_SERVICE_NAME = 63;

/** Of the Prometheus operator, whose schemas are not those of Kubernetes. */
const OF_THE_OPERATOR = ['PodMonitor', 'PrometheusRule'];

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}
interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly Container[] };
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: PodTemplate };
}

/** There is no helm of the pinned version, and it cannot be built. The message says what is needed. */
class HelmMissing extends Error {}

/** A helm of the pinned version: kept between runs, made by Go. */
function helmOf({ root, environment }: ToolContext): string {
  const folder = path.join(root, 'node_modules/.cache/helm', HELM.slice(HELM.indexOf('@') + 1));
  const program = path.join(folder, 'helm');
  if (spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0) return program;
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
    throw new HelmMissing(`Go is needed, with which ${HELM} is built: install Go`);
  }
  print(`building ${HELM}, which takes a few minutes`);
  mkdirSync(folder, { recursive: true });
  const env = { ...environment, GOBIN: folder };
  const { status } = spawnSync('go', ['install', HELM], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    throw new HelmMissing(`Go could not build ${HELM}; the lines above say why. GOPROXY names a mirror of Go modules`);
  }
  return program;
}

function valuesFile(folder: string, values: object): string {
  const file = path.join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return file;
}

/** Do the containers of an app start? Their environment must be a valid configuration, with something in the secrets. */
function checkEnvironment(app: AppName, { env }: Container, folder: string, root: string): void {
  const load = createRequire(__filename);
  const configurations = readAppConfigurations(
    (one) => load(path.join(root, 'dist/apps', one, 'src/config.js')) as object as never,
  );
  const samples: Readonly<Record<string, string>> = {
    DATABASE_URL: 'postgres://role:password@postgres:5432/vestibule',
    MIGRATION_DATABASE_URL: 'postgres://owner:password@postgres:5432/vestibule',
    SEALING_KEYS: Buffer.alloc(32, 1).toString('base64url'),
    FIRST_API_KEY: Buffer.alloc(32, 1).toString('base64url'),
    CALLBACK_SECRETS: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const environment = env.map(({ name, value }) => {
    if (!value.startsWith(SECRETS)) return [name, value];
    const file = path.join(folder, value.slice(SECRETS.length));
    writeFileSync(file, samples[value.slice(SECRETS.length)] ?? 'sample');
    return [name, file];
  });
  const names = environment.map(([name]) => name);
  if (new Set(names).size < names.length) throw new Error(`${app} has a variable twice: ${names.join()}`);
  loadConfiguration(configurations[app], Object.fromEntries(environment) as Record<string, string>);
}

/** The gateway waits for the services that are installed, and for no others. */
function checkServices(resources: readonly Resource[]): void {
  const templates = resources.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template);
  const componentOf = ({ metadata }: PodTemplate) => metadata.labels['app.kubernetes.io/component'] ?? '';
  const gateway = templates.find((template) => componentOf(template) === 'gateway');
  const waitsFor = gateway?.spec.containers[0]?.env.find(({ name }) => name === 'SERVICES')?.value.split(',');
  const installed = templates.map(componentOf).filter((name) => name !== 'gateway');
  deepStrictEqual(waitsFor?.sort(), installed.sort());
}

function checkPods(resources: readonly Resource[], folder: string, root: string): void {
  for (const { kind, metadata, spec } of resources) {
    if (kind !== 'Deployment' && kind !== 'Job') continue;
    const component = spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';
    const app = Object.keys(CONFIGURATION_EXPORTS).find((name) => component.replace(/-migrate$/, '') === name);
    const [container] = spec.template.spec.containers;
    if (app === undefined || !container) throw new Error(`${metadata.name} is of no app`);
    checkEnvironment(app as AppName, container, folder, root);
  }
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string; readonly expr: string }[] }[];
}

/** The rules are those of the file, and an app that is not installed is not missed. */
function checkRules(resources: readonly Resource[], root: string): void {
  const installed = resources
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/component']);
  const isMissed = (part: string) => installed.some((app) => part.includes(`service="${String(app)}"`));
  const source = parse(readFileSync(path.join(root, CHART_ALERTS), 'utf8')) as Rules;
  const groups = source.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) =>
      rule.alert === 'VestibuleMissing'
        ? { ...rule, expr: rule.expr.split(' or ').filter(isMissed).join(' or ') }
        : rule,
    ),
  }));
  for (const { kind, spec } of resources) if (kind === 'PrometheusRule') deepStrictEqual(spec, { groups });
}

interface Tools {
  readonly helm: string;
  readonly python: string;
  readonly folder: string;
  readonly root: string;
}

function judge(name: string, values: object, { helm, python, folder, root }: Tools): void {
  const file = valuesFile(folder, values);
  const argv = ['vestibule', path.join(root, CHART), '--values', file, '--namespace', 'wallets'];
  execFileSync(helm, ['lint', path.join(root, CHART), '--strict', '--quiet', '--values', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const rendered = execFileSync(helm, ['template', ...argv], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const resources = parseAllDocuments(rendered).flatMap((document) => (document.toJS() as Resource | null) ?? []);
  const ours = resources.filter(({ kind }) => !OF_THE_OPERATOR.includes(kind));
  const rendering = path.join(folder, 'rendered.yaml');
  writeFileSync(rendering, ours.map((one) => JSON.stringify(one)).join('\n---\n'));
  for (const version of KUBERNETES) {
    const validate = ['-m', 'kubernetes_validate', '--strict', '--quiet', '-k', version, rendering];
    execFileSync(python, validate, { stdio: ['ignore', 'inherit', 'inherit'] });
  }
  checkPods(resources, folder, root);
  checkServices(resources);
  checkRules(resources, root);
  print(
    `${name}: ${resources.length} resources, valid for Kubernetes ${KUBERNETES.join(' and ')}; every container has a valid configuration`,
  );
}

/** The schemas do not say how long a name may be. */
function checkNames({ helm, folder, root }: Tools): void {
  const argv = ['template', LONGEST_RELEASE, path.join(root, CHART), '--values', valuesFile(folder, ADDRESSES)];
  const rendered = execFileSync(helm, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const services = parseAllDocuments(rendered)
    .flatMap((document) => (document.toJS() as Resource | null) ?? [])
    .filter(({ kind }) => kind === 'Service');
  const names = new Set(services.map(({ metadata }) => metadata.name));
  if (names.size !== 2 || [...names].some((name) => name.length > LONGEST_SERVICE_NAME))
    throw new Error(`services of a long release name: ${[...names].join()}`);
}

function checkRefused(values: object, reason: RegExp, { helm, folder, root }: Tools): void {
  const argv = ['template', 'vestibule', path.join(root, CHART), '--values', valuesFile(folder, values)];
  const { status, stderr } = spawnSync(helm, argv, { encoding: 'utf8' });
  if (status === 0 || !reason.test(stderr))
    throw new Error(`not refused with ${String(reason)}: ${JSON.stringify(values)}\n${stderr}`);
}

/** Renders the chart with the values of several installations and judges what comes out; needs Go and Python. */
export function main(context: ToolContext): number {
  const { argv, root } = context;
  if (argv.length > 0) {
    print(USAGE);
    return 2;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-chart-'));
  try {
    const python = pythonWith(
      path.join(root, 'tools/proofs/chart/requirements.txt'),
      path.join(root, 'node_modules/.cache'),
    );
    const tools = { helm: helmOf(context), python, folder, root };
    for (const [name, values] of Object.entries(INSTALLATIONS)) judge(name, values, tools);
    checkNames(tools);
    for (const [values, reason] of REFUSED) checkRefused(values, reason, tools);
    print(`${REFUSED.length} wrong values are refused with their reason`);
    return 0;
  } catch (error) {
    if (!(error instanceof PythonMissing || error instanceof HelmMissing)) throw error;
    print(error.message);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
