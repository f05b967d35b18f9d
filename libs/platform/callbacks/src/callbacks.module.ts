import { Controller, Inject, Module, type DynamicModule, type OnApplicationShutdown, type Type } from '@nestjs/common';
import {
  DropCallback,
  ListCallbackKeys,
  ListCallbacks,
  ReplayCallbacks,
  RetryCallbacks,
  TestCallback,
  type QuestionOf,
  type ReportingService,
} from '@vestibule/contracts';
import type { Sealer } from '@vestibule/crypto';
import { Answers } from '@vestibule/messaging';
import { DATABASE, SEALER, type Database } from '@vestibule/persistence';
import { PROCESS, type ProcessContext, randomBytes } from '@vestibule/process';
import { openCallbacks, type Callbacks, type CallbacksContext } from './open-callbacks';

/** The injection token of a service's {@link Callbacks}. */
export const CALLBACKS = Symbol('callbacks');

type Context = ProcessContext<CallbacksContext['configuration']>;

/** Operators' requests about the outbox of a service. */
function controllerFor(service: ReportingService): Type {
  @Controller()
  class CallbacksController {
    constructor(@Inject(CALLBACKS) private readonly callbacks: Callbacks) {}

    @Answers(ListCallbacks[service])
    list(question: QuestionOf<(typeof ListCallbacks)[ReportingService]>) {
      return this.callbacks.overview.list(question);
    }

    @Answers(RetryCallbacks[service])
    retry(question: QuestionOf<(typeof RetryCallbacks)[ReportingService]>) {
      return this.callbacks.overview.retry(question);
    }

    @Answers(DropCallback[service])
    drop(question: QuestionOf<(typeof DropCallback)[ReportingService]>) {
      return this.callbacks.operations.drop(question);
    }

    @Answers(ReplayCallbacks[service])
    replay(question: QuestionOf<(typeof ReplayCallbacks)[ReportingService]>) {
      return this.callbacks.operations.replay(question);
    }

    @Answers(TestCallback[service])
    test(question: QuestionOf<(typeof TestCallback)[ReportingService]>) {
      return this.callbacks.test(question);
    }

    @Answers(ListCallbackKeys[service])
    keys(_question: QuestionOf<(typeof ListCallbackKeys)[ReportingService]>) {
      return this.callbacks.keys;
    }
  }
  return CallbacksController;
}

/** The callbacks of a service: delivered from its start to its end, and available to operators over the bus. */
@Module({})
export class CallbacksModule implements OnApplicationShutdown {
  constructor(@Inject(CALLBACKS) private readonly callbacks: Callbacks) {}

  static forRoot(service: ReportingService): DynamicModule {
    return {
      module: CallbacksModule,
      providers: [
        {
          provide: CALLBACKS,
          inject: [PROCESS, DATABASE, SEALER],
          useFactory: ({ configuration, logger, metrics }: Context, database: Database, sealer: Sealer) =>
            openCallbacks(
              { configuration, logger, metrics, database, sealer },
              { service, clock: () => new Date(), random: randomBytes },
            ),
        },
      ],
      controllers: [controllerFor(service)],
      exports: [CALLBACKS],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.callbacks.close();
  }
}
