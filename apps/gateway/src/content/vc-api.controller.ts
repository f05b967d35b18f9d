import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  SignGivenCredential,
  vcApiCredential,
  vcApiIssuance,
  vcApiPresentation,
  VerifyGivenCredential,
  VerifyGivenPresentation,
} from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { parseBody } from './queries';

/** The tenant that the VC API acts for. */
export interface VcApiTenant {
  readonly apiKeyDigest: string;
}
export const VC_API_TENANT = Symbol('VcApiTenant');

/** The W3C community's VC API, for test suites of others: only where the operator names a tenant for it. */
@ApiExcludeController()
@Controller()
export class VcApiController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(VC_API_TENANT) private readonly tenant: VcApiTenant,
  ) {}

  @Post('credentials/issue')
  @HttpCode(201)
  issueCredential(@Body() body: JsonValue | undefined) {
    return this.ask(SignGivenCredential, { ...this.tenant, ...parseBody(vcApiIssuance, body) });
  }

  @Post('credentials/verify')
  @HttpCode(200)
  verifyCredential(@Body() body: JsonValue | undefined) {
    return this.ask(VerifyGivenCredential, { ...this.tenant, ...parseBody(vcApiCredential, body) });
  }

  @Post('presentations/verify')
  @HttpCode(200)
  verifyPresentation(@Body() body: JsonValue | undefined) {
    return this.ask(VerifyGivenPresentation, { ...this.tenant, ...parseBody(vcApiPresentation, body) });
  }
}
