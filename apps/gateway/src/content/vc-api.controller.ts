import { Controller, HttpCode, Inject, Injectable, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  SignGivenCredential,
  vcApiCredential,
  vcApiIssuance,
  vcApiPresentation,
  VerifyGivenCredential,
  VerifyGivenPresentation,
} from '@vestibule/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { EarlyGuard } from '../http/early-guard';
import { JsonApi } from '../http/json-api';
import { ValidBody } from '../http/validation';
import { setTenant, Tenant, type TenantKey } from './tenant';
import { Needs } from '../http/scopes';

/** Injection token of the tenant that the VC API acts for. */
export const VC_API_TENANT = Symbol('VC API tenant');

/** Every caller acts as the one tenant that the operator has configured. */
@Injectable()
class VcApiGuard extends EarlyGuard {
  constructor(@Inject(VC_API_TENANT) private readonly tenant: TenantKey) {
    super();
  }

  protected judge(request: FastifyRequest): void {
    setTenant(request, this.tenant);
  }
}

/** The W3C community's VC API, for external test suites: only if the operator has configured a tenant for it. */
@ApiExcludeController()
@JsonApi()
@UseGuards(VcApiGuard)
@Needs('content')
@Controller()
export class VcApiController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('credentials/issue')
  @HttpCode(201)
  issueCredential(@Tenant() tenant: TenantKey, @ValidBody(vcApiIssuance) body: z.output<typeof vcApiIssuance>) {
    return this.ask(SignGivenCredential, { ...tenant, ...body });
  }

  @Post('credentials/verify')
  @HttpCode(200)
  verifyCredential(@Tenant() tenant: TenantKey, @ValidBody(vcApiCredential) body: z.output<typeof vcApiCredential>) {
    return this.ask(VerifyGivenCredential, { ...tenant, ...body });
  }

  @Post('presentations/verify')
  @HttpCode(200)
  verifyPresentation(
    @Tenant() tenant: TenantKey,
    @ValidBody(vcApiPresentation) body: z.output<typeof vcApiPresentation>,
  ) {
    return this.ask(VerifyGivenPresentation, { ...tenant, ...body });
  }
}
