import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from '@vestibule/process';
import { ASK, type Ask } from '../ask';
import { LOGGER } from './error-answer';
import { OTHER_LISTENER, type OtherListener } from './other-listener';
import { RETIREMENT, type Retirement } from './retirement';
import { ROUTES, type RouteTable } from './routes';

export interface HttpContext {
  readonly ask: Ask;
  readonly logger: Logger;
  readonly table: RouteTable;
  readonly other: OtherListener;
  readonly retirement: Retirement;
}

/** What the controllers, guards and filters of all modules have injected. */
@Module({})
export class HttpModule {
  static register({ ask, logger, table, other, retirement }: HttpContext): DynamicModule {
    const providers = [
      { provide: ASK, useValue: ask },
      { provide: LOGGER, useValue: logger },
      { provide: ROUTES, useValue: table },
      { provide: OTHER_LISTENER, useValue: other },
      { provide: RETIREMENT, useValue: retirement },
    ];
    return { module: HttpModule, global: true, providers, exports: providers };
  }
}
