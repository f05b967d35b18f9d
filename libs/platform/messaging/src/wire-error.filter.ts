import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import type { NatsContext } from '@nestjs/microservices';
import type { WireReply } from '@vestibule/contracts';
import type { Logger } from '@vestibule/process';
import { of, type Observable } from 'rxjs';
import { refuse } from './answer';

/** Every error becomes a wire error, an unknown one the bare `internal_error`. */
@Catch()
export class WireErrorFilter implements RpcExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): Observable<WireReply> {
    return of(refuse(host.switchToRpc().getContext<NatsContext>().getSubject(), error, this.logger));
  }
}
