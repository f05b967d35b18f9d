import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** Figures of one process for Prometheus; no label ever holds a value from a request. */
export interface Metrics {
  /**
   * A figure that is read when somebody asks; `name` is snake_case with its unit at the end. Where it cannot be read it
   * is NaN, and the others are shown all the same.
   */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Counts by one label, whose values must be few. Returns what counts one more. */
  counter(name: string, help: string, label: string): (value: string) => void;
  /** All figures in the text format of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
}

async function readOrNaN(read: () => number | Promise<number>): Promise<number> {
  try {
    return await read();
  } catch {
    // The figure is missing, which is what NaN says; the reason is in the log of the component that needs it.
    return Number.NaN;
  }
}

/** The figures of a process: memory, CPU, event loop, and what the service adds. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
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
