import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** Prometheus metrics of one process; no label ever contains a value from a request. */
export interface Metrics {
  /**
   * A metric that is read on request; `name` is snake_case and ends with its unit. If it cannot be read it is NaN, and
   * the others are still returned.
   */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** A counter with one label, which must have few values. Returns a function that increments it. */
  counter(name: string, help: string, label: string): (value: string) => void;
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

/** The metrics of a process: memory, CPU, event loop, and those that the service adds. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_TIMER_MILLISECONDS });
  return {
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name: `vestibule_${name}`,
        help,
        registers: [registry],
        collect: async () => gauge.set(await readOrNaN(read)),
      });
    },
    counter(name, help, label) {
      const counter = new Counter({ name: `vestibule_${name}`, help, labelNames: [label], registers: [registry] });
      return (value) => counter.inc({ [label]: value });
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
