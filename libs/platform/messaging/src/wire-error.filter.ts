import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import type { NatsContext } from '@nestjs/microservices';
import type { WireReply } from '@vestibule/contracts';
import type { Logger } from '@vestibule/process';
import { of, type Observable } from 'rxjs';
import { Refusals } from './refusals';

/** Every error becomes a wire error, an unknown one the bare `internal_error`. */
@Catch()
export class WireErrorFilter implements RpcExceptionFilter {
  readonly #refusals: Refusals;

  constructor(logger: Logger) {
    this.#refusals = new Refusals(logger);
  }

  catch(error: unknown, host: ArgumentsHost): Observable<WireReply> {
    return of(this.#refusals.toReply(host.switchToRpc().getContext<NatsContext>().getSubject(), error));
  }
}
