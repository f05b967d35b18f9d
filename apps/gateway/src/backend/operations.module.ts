import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { Metrics } from '@vestibule/process';
import type { ServiceName } from '../services';
import { ApiDocsController, DESCRIBED_APIS, type DescribedApi } from './api-docs.controller';
import { CallbacksController } from './callbacks.controller';
import { HealthController, SERVICES } from './health.controller';
import { METRICS, MetricsController } from './metrics.controller';

const OPERATIONS_CONTROLLERS: Type[] = [CallbacksController, HealthController, MetricsController];

/** The controllers for operators, with or without the page that shows the API descriptions. */
export const operationsControllers = ({ servesDocs }: { readonly servesDocs: boolean }): Type[] => [
  ...OPERATIONS_CONTROLLERS,
  ...(servesDocs ? [ApiDocsController] : []),
];

export interface OperationsOptions {
  readonly metrics: Metrics;
  /** Some of {@link operationsControllers}. */
  readonly controllers: Type[];
  readonly apis: readonly DescribedApi[];
  /** Those of the installation. */
  readonly services: readonly ServiceName[];
}

/** Health, metrics and API descriptions for operators, on the management listener. */
@Module({})
export class OperationsModule {
  static register({ metrics, controllers, apis, services }: OperationsOptions): DynamicModule {
    const providers = [
      { provide: METRICS, useValue: metrics },
      { provide: DESCRIBED_APIS, useValue: apis },
      { provide: SERVICES, useValue: services },
    ];
    return { module: OperationsModule, controllers, providers };
  }
}
