import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { readiness, type Contract, type Readiness } from '@vestibule/contracts';
import { DomainError, VERSION } from '@vestibule/foundation';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { OpenJsonApi } from '../http/json-api';
import { RETIREMENT, type Retirement } from '../http/retirement';
import { healthChecksOf, type ServiceName } from '../services';
import { ForProbes } from './probes';

/** Injection token of the names of the services that this installation has. */
export const SERVICES = Symbol('services');

const liveView = z.object({ live: z.boolean() });
const readyView = z
  .object({
    ready: z.boolean(),
    version: z.string().describe('The version of this gateway'),
    services: z.record(
      z.string(),
      readiness.extend({ code: z.string().optional().describe('Why a service did not respond') }),
    ),
  })
  .meta({ id: 'Readiness' });

/** Health of the gateway and, through the bus, of each service of the installation. */
@ApiTags('Operations')
@OpenJsonApi()
@ForProbes()
@Controller('health')
export class HealthController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(RETIREMENT) private readonly retirement: Retirement,
    @Inject(SERVICES) private readonly services: readonly ServiceName[],
  ) {}

  @Get('live')
  @ApiOperation({ operationId: 'isLive', summary: 'The gateway is running' })
  @ApiResponse({ status: 200, description: 'It is', standardSchema: liveView })
  isLive(): { live: true } {
    return { live: true };
  }

  @Get('ready')
  @ApiOperation({
    operationId: 'isReady',
    summary:
      'Every service is ready: Postgres, NATS, migrations, keys; 503 otherwise, and while this gateway shuts down',
  })
  @ApiResponse({ status: 200, description: 'All services are ready', standardSchema: readyView })
  @ApiResponse({
    status: 503,
    description: 'A service is not ready, or this gateway shuts down',
    standardSchema: readyView,
  })
  async isReady(@Res({ passthrough: true }) reply: FastifyReply) {
    const reports = await Promise.all(
      healthChecksOf(this.services).map(async ([name, contract]) => [name, await this.reportOf(contract)] as const),
    );
    const ready = !this.retirement.isRetired && reports.every(([, report]) => report.ready);
    void reply.status(ready ? 200 : 503);
    return { ready, version: VERSION, services: Object.fromEntries(reports) };
  }

  private async reportOf(contract: Contract<object, Readiness>): Promise<Readiness & { code?: string }> {
    try {
      return await this.ask(contract, {});
    } catch (error) {
      return { ready: false, checks: {}, code: error instanceof DomainError ? error.code : 'internal_error' };
    }
  }
}
