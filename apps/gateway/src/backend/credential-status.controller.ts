import { Controller, Inject, Param, Patch } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ChangeCredentialStatus, credentialStatusBody, credentialStatusChanged } from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { JsonApi } from '../http/json-api';
import { PROBLEM_RESPONSE } from '../http/openapi-parts';
import { anId } from '../http/path-segment';
import { JudgedBody } from '../http/validation';
import { Needs } from '../http/scopes';

/** The status of credentials after issuance. */
@ApiTags('Issuance')
@JsonApi()
@Needs('revoke')
@Controller('offers')
export class CredentialStatusController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Patch(':offerId/status')
  @ApiOperation({
    operationId: 'changeCredentialStatus',
    summary: 'Revoke, suspend or restore all credentials of an offer; revocation is final',
  })
  @ApiResponse({
    status: 200,
    description: 'The credentials have this status',
    standardSchema: credentialStatusChanged,
  })
  @ApiResponse(PROBLEM_RESPONSE)
  change(
    @JudgedBody(credentialStatusBody) body: JsonObject,
    @Param('offerId', anId('credential_offer_not_found')) offerId: string,
  ) {
    return this.ask(ChangeCredentialStatus, { offerId, body });
  }
}
