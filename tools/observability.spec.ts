import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createMetrics } from '@vestibule/process';
import { parse } from 'yaml';
import { filesBelow } from './docs/repository-files';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string; readonly runbook?: string };
}
interface Board {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const root = path.resolve(__dirname, '..');
const folder = path.join(root, 'deploy/observability');
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const { groups } = parse(read('alerts.yaml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const board = JSON.parse(read('board.json')) as Board;
const page = readFileSync(path.join(root, 'docs/monitoring.md'), 'utf8');
const runbook = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8');
/** The first end of those that have a series each. */
const SHOWN_EACH = new Set(['vestibule_relying_party_certificate_expiry_timestamp_seconds']);
const UNIT = /_(?:bucket|count|sum)$/;

/** The names of metrics in an expression. */
const namesIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:vestibule|http_server|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);

const sources = ['apps', 'libs/core', 'libs/platform']
  .flatMap((room) => filesBelow(root, room).filter((file) => /\.ts$/.test(file) && !/spec\.ts$/.test(file)))
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');
const inSources = (pattern: RegExp): string[] => [...sources.matchAll(pattern)].map(([, name = '']) => name);
const expiries = inSources(/showExpiry\('(\w+)'/g)
  .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .map((name) => `vestibule_${name}_expiry_timestamp_seconds`);

/** The metrics of ours that product files make with a name in place. */
const madeMetrics = (): string[] => [
  ...inSources(/\b(?:counter|gauges?|countOutcomes)\(\s*(?:metrics, )?'([a-z0-9_]+)'/g).map(
    (name) => `vestibule_${name}`,
  ),
  ...inSources(/'(vestibule_[a-z0-9_]+_(?:info|seconds))'/g),
  ...expiries,
];

/** Every metric that the code has: those of the library, and the names that product files give to others. */
async function knownMetrics(): Promise<ReadonlySet<string>> {
  const named = inSources(
    /'([a-z][a-z0-9_]*_(?:anchors|connections|dead|names|seconds|statements|total|unusable|waiting))'/g,
  );
  const shared = await createMetrics('gateway').render();
  return new Set([
    ...[...shared.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name),
    ...named.flatMap((name) => [name, `vestibule_${name}`]),
    ...madeMetrics(),
  ]);
}

describe('rules and board', () => {
  it('use metrics that exist', async () => {
    const known = await knownMetrics();
    const used = [
      ...rules.flatMap(({ expr }) => namesIn(expr)),
      ...board.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr))),
    ];
    const unknown = used.filter((name) => !known.has(name) && !known.has(name.replace(UNIT, '')));
    expect(used.length).toBeGreaterThan(40);
    // The beginning of a regular expression over the certificates.
    expect(unknown.filter((name) => name !== 'vestibule_')).toEqual([]);
    expect([known.has('vestibule_made_up_total'), known.has('vestibule_callbacks_dead')]).toEqual([false, true]);
  });

  it('use metrics and alerts that the page describes', () => {
    const described = new Set([...page.matchAll(/`([a-z][a-z0-9_]+)`/g)].map(([, name]) => name));
    const ours = board.panels
      .flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)))
      .map((name) => name.replace(UNIT, ''))
      .filter((name) => /^(?:vestibule|http)_/.test(name));
    expect(ours.filter((name) => !described.has(name))).toEqual([]);
    expect(alerts.map(({ alert }) => alert).filter((alert) => !page.includes(`\`${String(alert)}\``))).toEqual([]);
  });

  it('stand on a page that describes every metric of ours, and no other', async () => {
    const known = await knownMetrics();
    const described = [...page.matchAll(/`(vestibule_[a-z0-9_]+)`/g)].map(([, name = '']) => name);
    expect(madeMetrics().filter((name) => !described.includes(name))).toEqual([]);
    expect(described.filter((name) => !known.has(name))).toEqual([]);
    expect(madeMetrics().length).toBeGreaterThan(25);
  });

  it('each have a severity, a summary and a test', () => {
    const tests = read('alerts.test.yaml');
    for (const { alert, labels, annotations } of alerts) {
      expect(['warning', 'critical']).toContain(labels?.severity);
      expect(annotations?.summary).toMatch(/\w/);
      // Quiet when nothing is wrong, and firing when it is.
      expect(tests.split(`${String(alert)} }`).length - 1).toBe(1);
      expect(tests).toContain(`{alertname="${String(alert)}"}`);
    }
  });

  it('each have a section of the runbook, and it has no other', () => {
    const sections = [...runbook.matchAll(/^## (\w+)\n\n([\s\S]*?)(?=\n## |$(?![\s\S]))/gm)];
    expect(sections.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
    for (const [, name = '', text = ''] of sections) expect([name, text.trim().length > 100]).toEqual([name, true]);
    const linked = alerts.map(({ alert = '' }) => `docs/runbook.md#${alert.toLowerCase()}`);
    expect(alerts.map(({ annotations }) => annotations?.runbook)).toEqual(linked);
  });

  it('watch every certificate of which the code shows an end', async () => {
    const shown = [...(await knownMetrics())].filter((name) =>
      /^vestibule_\w+_certificate_expiry_timestamp_seconds$/.test(name),
    );
    const { expr = '' } = alerts.find(({ alert }) => alert === 'VestibuleCertificateExpires') ?? {};
    const watched = /__name__=~"([^"]+)"/.exec(expr)?.[1] ?? '';
    const isWatched = (name: string) => new RegExp(`^(?:${watched})$`).test(name) || expr.includes(`${name} `);
    expect(shown.filter((name) => !isWatched(name) && !SHOWN_EACH.has(name))).toEqual([]);
    expect(shown.length).toBeGreaterThan(5);
  });

  it('have panels with names and numbers of their own', () => {
    const { panels } = board;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });
});
