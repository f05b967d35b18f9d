import { Body, Controller, Inject, Param, Patch } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ChangeCredentialStatus, credentialStatusBody, credentialStatusChanged } from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { objectFrom } from '../http/creation';
import { PROBLEM_RESPONSE } from '../http/openapi-parts';
import { idFrom } from '../http/path-segment';

/** The life of credentials after their issuance. */
@ApiTags('Issuance')
@Controller('offers')
export class CredentialStatusController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Patch(':offerId/status')
  @ApiOperation({
    operationId: 'changeCredentialStatus',
    summary: 'Revoke, suspend or restore all credentials of an offer; a revocation is final',
  })
  @ApiResponse({ status: 200, description: 'They have this status', standardSchema: credentialStatusChanged })
  @ApiResponse(PROBLEM_RESPONSE)
  change(@Param('offerId') offerId: string, @Body({ schema: credentialStatusBody }) body: JsonValue | undefined) {
    const known = idFrom(offerId, 'credential_offer_not_found');
    return this.ask(ChangeCredentialStatus, { offerId: known, body: objectFrom(body) });
  }
}
