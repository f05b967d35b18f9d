import { VERSION } from '@vestibule/foundation';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The values of a metric, each with that of its label. */
type Series = readonly (readonly [string, number])[];

/** Prometheus metrics of one process; no label ever contains a value from a request. */
export interface Metrics {
  /**
   * A metric that is read on request; `name` is snake_case and ends with its unit. If it cannot be read it is NaN, and
   * the others are still returned.
   */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** As {@link gauge}, with a value for each of the few values of a label, of which there may be others each time. */
  gauges(name: string, help: string, label: string, read: () => Series | Promise<Series>): void;
  /**
   * A counter with labels that each have few values, which several parts of a process may ask for. Returns a function
   * that increments it for their values, in order.
   */
  counter(name: string, help: string, ...labels: readonly string[]): (...values: readonly string[]) => void;
  /**
   * How long something took, in seconds, by labels that each have few values. The name is used as it is, and may be asked
   * for by several parts of a process. Returns a function that takes the values of the labels, in their order.
   */
  durations(
    name: `${string}_duration_seconds`,
    help: string,
    labels: readonly string[],
  ): (seconds: number, ...values: readonly string[]) => void;
  /** All metrics in the Prometheus text format. */
  render(): Promise<string>;
  readonly contentType: string;
}

async function readOrNaN(read: () => number | Promise<number>): Promise<number> {
  try {
    return await read();
  } catch {
    // NaN says that the value is missing; the reason is in the log of the component that needs it.
    return Number.NaN;
  }
}

/**
 * The timer whose delay `nodejs_eventloop_lag_*` shows. The library's default, 10 ms, wakes an idle process a hundred
 * times a second and is most of what it costs.
 */
const EVENT_LOOP_TIMER_MILLISECONDS = 100;

/** Gauges of the library with the names of counters, which `promtool check metrics` refuses; others have their figures by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** From a statement to a judgement with slow lists: 1 ms to 15 s. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

function showBuild(registry: Registry): void {
  const labelNames = ['version', 'node'];
  const help = 'Always 1; the labels say which program this is';
  new Gauge({ name: 'vestibule_build_info', help, labelNames, registers: [registry] })
    .labels(VERSION, process.versions.node)
    .set(1);
}

/** The metrics of a process: memory, CPU, event loop, and those that the service adds. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_TIMER_MILLISECONDS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  showBuild(registry);
  return {
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name: `vestibule_${name}`,
        help,
        registers: [registry],
        collect: async () => gauge.set(await readOrNaN(read)),
      });
    },
    gauges(name, help, label, read) {
      const gauge: Gauge = new Gauge({
        name: `vestibule_${name}`,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const series = await read();
          gauge.reset();
          for (const [value, number] of series) gauge.labels(value).set(number);
        },
      });
    },
    counter(name, help, ...labels) {
      const known = registry.getSingleMetric(`vestibule_${name}`) as Counter | undefined;
      const options = { name: `vestibule_${name}`, help, labelNames: [...labels], registers: [registry] };
      const counter = known ?? new Counter(options);
      return (...values) => counter.labels(...values).inc();
    },
    durations(name, help, labels) {
      const known = registry.getSingleMetric(name) as Histogram | undefined;
      const options = { name, help, labelNames: [...labels], buckets: DURATION_BUCKETS, registers: [registry] };
      const histogram = known ?? new Histogram(options);
      // The library would check and join the labels of each observation again.
      const series = new Map<string, Histogram.Internal<string>>();
      return (seconds, ...values) => {
        const name = values.join('\n');
        let one = series.get(name);
        if (one === undefined) series.set(name, (one = histogram.labels(...values)));
        one.observe(seconds);
      };
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
