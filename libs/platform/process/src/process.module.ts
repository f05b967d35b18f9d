import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from './logger';
import type { Metrics } from './metrics';
import type { Readiness } from './readiness';

/** The token of what every part of a service builds itself from: a {@link ProcessContext}. */
export const PROCESS = Symbol('process');

/** The token of the Nest transport strategy by which a service is asked. */
export const TRANSPORT = Symbol('transport');

/** What the process has before anything of the service is opened. */
export interface ProcessContext<Values = unknown> {
  /** Name of the service, of its queue group and of its connections. */
  readonly name: string;
  readonly configuration: Values;
  readonly logger: Logger;
  /** Figures for operators, served beside health. */
  readonly metrics: Metrics;
  /** Where each part says whether it can be used. */
  readonly readiness: Readiness;
}

/** Gives every module of a service its {@link ProcessContext}. */
@Global()
@Module({})
export class ProcessModule {
  static register(context: ProcessContext): DynamicModule {
    return { module: ProcessModule, providers: [{ provide: PROCESS, useValue: context }], exports: [PROCESS] };
  }
}
