import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { Metrics } from '@vestibule/process';
import { CallbacksController } from './callbacks.controller';
import { HealthController } from './health.controller';
import { METRICS, MetricsController } from './metrics.controller';

export const OPERATIONS_CONTROLLERS: Type[] = [CallbacksController, HealthController, MetricsController];

/** What operators look at, on the management listener. */
@Module({ controllers: OPERATIONS_CONTROLLERS })
export class OperationsModule {
  static register({ metrics }: { readonly metrics: Metrics }): DynamicModule {
    return { module: OperationsModule, providers: [{ provide: METRICS, useValue: metrics }] };
  }
}
