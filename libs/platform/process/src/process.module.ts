import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from './logger';
import type { Metrics } from './metrics';
import type { Readiness } from './readiness';

/** The injection token of the {@link ProcessContext}, from which every part of a service is built. */
export const PROCESS = Symbol('process');

/** The injection token of the Nest transport strategy on which a service receives questions. */
export const TRANSPORT = Symbol('transport');

/** What exists before any part of the service is opened. */
export interface ProcessContext<Values = unknown> {
  /** The name of the service, of its queue group and of its connections. */
  readonly name: string;
  readonly configuration: Values;
  readonly logger: Logger;
  /** Metrics for operators, served beside health. */
  readonly metrics: Metrics;
  /** Where each component reports whether it is usable. */
  readonly readiness: Readiness;
}

/** Provides the {@link ProcessContext} to every module of a service. */
@Global()
@Module({})
export class ProcessModule {
  static register(context: ProcessContext): DynamicModule {
    return { module: ProcessModule, providers: [{ provide: PROCESS, useValue: context }], exports: [PROCESS] };
  }
}
