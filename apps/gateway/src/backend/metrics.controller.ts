import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Metrics } from '@vestibule/process';
import type { FastifyReply } from 'fastify';
import { OpenJsonApi } from '../http/json-api';
import { Needs } from '../http/scopes';

/** Injection token of the metrics of this process. */
export const METRICS = Symbol('metrics');

/** The gateway's metrics in the Prometheus text format. */
@ApiExcludeController()
@OpenJsonApi()
@Needs('operate')
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(METRICS) private readonly metrics: Metrics) {}

  @Get()
  render(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.metrics.contentType);
    return this.metrics.render();
  }
}
