import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { Metrics } from '@vestibule/process';
import { RETIREMENT, type Retirement } from '../http/retirement';
import { CallbacksController } from './callbacks.controller';
import { HealthController } from './health.controller';
import { METRICS, MetricsController } from './metrics.controller';

export const OPERATIONS_CONTROLLERS: Type[] = [CallbacksController, HealthController, MetricsController];

export interface OperationsOptions {
  readonly metrics: Metrics;
  readonly retirement: Retirement;
}

/** Health, metrics and API descriptions for operators, on the management listener. */
@Module({ controllers: OPERATIONS_CONTROLLERS })
export class OperationsModule {
  static register({ metrics, retirement }: OperationsOptions): DynamicModule {
    const providers = [
      { provide: METRICS, useValue: metrics },
      { provide: RETIREMENT, useValue: retirement },
    ];
    return { module: OperationsModule, providers };
  }
}
