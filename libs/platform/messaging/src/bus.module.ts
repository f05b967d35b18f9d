import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { MAX_PAYLOAD_BYTES } from '@vestibule/contracts';
import {
  PROCESS,
  TRANSPORT,
  type Configuration,
  type microserviceVariables,
  type ProcessContext,
} from '@vestibule/process';
import { readNatsAccess } from './nats-access';
import { NatsServer } from './nats-server';
import { WireErrorFilter } from './wire-error.filter';

type Context = ProcessContext<Configuration<typeof microserviceVariables>>;

/** The bus for a service: the transport on which its controllers answer, and the filter for errors. */
@Module({})
export class BusModule {
  static forRoot(): DynamicModule {
    return {
      module: BusModule,
      providers: [
        {
          provide: TRANSPORT,
          inject: [PROCESS],
          useFactory({ name, configuration, logger, readiness, metrics }: Context) {
            const observe = metrics.durations(
              'vestibule_bus_answer_duration_seconds',
              'Questions that this process answered, and their results',
              ['subject', 'result'],
            );
            const server = new NatsServer({
              ...readNatsAccess(configuration),
              name,
              queue: name,
              logger,
              payloadBytes: MAX_PAYLOAD_BYTES,
              observe: (subject, seconds, result) => observe(seconds, subject, result),
            });
            readiness.require('nats', () => server.isConnected());
            return server;
          },
        },
        { provide: APP_FILTER, useClass: WireErrorFilter },
      ],
      exports: [TRANSPORT],
    };
  }
}
