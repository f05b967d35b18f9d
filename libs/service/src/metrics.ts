import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Figures of one process for Prometheus; no label ever holds a value from a request. */
export interface Metrics {
  /** A figure that is read when somebody asks; `name` is snake_case with its unit at the end. */
  gauge(name: string, help: string, read: () => number): void;
  /** All figures in the text format of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
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
        collect: () => gauge.set(read()),
      });
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
