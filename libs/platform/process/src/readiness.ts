import { createHealth, type Expiry, type Health, type HealthCheck, type HealthReport } from './health';
import type { Metrics } from './metrics';

/**
 * The health of a service whose parts start in sequence and register their own checks. A part that is expected but has
 * not started yet counts as not ready.
 */
export class Readiness implements Health {
  readonly #checks = new Map<string, HealthCheck>();
  readonly #expires = new Map<string, Expiry>();
  readonly #metrics: Metrics;
  readonly #lives: HealthCheck[] = [];
  #isRetired = false;

  constructor(metrics: Metrics, expected: readonly string[]) {
    this.#metrics = metrics;
    for (const name of expected) this.#checks.set(name, () => false);
  }

  /** Adds a condition: the service is ready only while the check succeeds. */
  require(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** Adds a liveness condition: if the check fails, a restart must help. */
  requireLife(check: HealthCheck): void {
    this.#lives.push(check);
  }

  async isAlive(): Promise<boolean> {
    const lives = await Promise.all(this.#lives.map(async (check) => check()));
    return lives.every(Boolean);
  }

  /**
   * Publishes when something expires: in the report, and `accessCertificate` as
   * `vestibule_access_certificate_expiry_timestamp_seconds`, 0 if unknown.
   */
  showExpiry(name: string, read: Expiry): void {
    this.#expires.set(name, read);
    const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    this.#metrics.gauge(
      `${snakeCase}_expiry_timestamp_seconds`,
      'End of validity in seconds since 1970',
      () => (read()?.getTime() ?? 0) / 1000,
    );
  }

  async report(): Promise<HealthReport> {
    const checks = Object.fromEntries(this.#checks);
    const expires = this.#expires.size === 0 ? {} : { expires: Object.fromEntries(this.#expires) };
    const health = createHealth({ checks, ...expires });
    if (this.#isRetired) health.retire();
    return health.report();
  }

  retire(): void {
    this.#isRetired = true;
  }
}
