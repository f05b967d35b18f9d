import { Body, Get, Header, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import {
  ExchangePreAuthorizedCode,
  GetOfferObject,
  GetTypeMetadata,
  IssueChallenge,
  IssueNonce,
} from '@vestibule/contracts';
import { ApiError, type JsonObject } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { headerValues } from '../http/header-values';
import { aName, anId } from '../http/path-segment';
import { withDpopNonce } from './dpop-nonce';
import { FormPipe, type FormEntries } from './form.pipe';
import { AtIssuer, IssuerApi, type OfIssuer } from './issuer-api';
import { OAuthEndpoint } from './oauth-endpoint';
import { byCode, byParameter, NamesFlow } from './unserved-wallets';

const JSON_TYPE = 'application/json; charset=utf-8';
const SHORT_CACHE = 'public, max-age=300';

function noForm(): ApiError {
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the body must be a form' });
}

/** What a wallet needs before it can request a credential (OpenID4VCI 1.0 §4.1.3, §6, §7). */
@IssuerApi('oidc4vci')
export class IssuanceController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get('offers/:offerId')
  @NamesFlow(byParameter('offerId', 'offer_id'))
  async getOffer(
    @AtIssuer() at: OfIssuer,
    @Param('offerId', anId('offer_not_found')) offerId: string,
  ): Promise<JsonObject> {
    return (await this.ask(GetOfferObject, { ...at, offerId })).offer;
  }

  @Post('token')
  @OAuthEndpoint({ endpoint: 'token' })
  @NamesFlow(byCode)
  @HttpCode(200)
  @Header('pragma', 'no-cache')
  async exchangeCode(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @AtIssuer() at: OfIssuer,
    @Body(new FormPipe(noForm)) form: FormEntries,
  ) {
    const answer = await this.ask(ExchangePreAuthorizedCode, {
      ...at,
      form,
      dpop: headerValues(request, 'dpop'),
      authorization: headerValues(request, 'authorization'),
      clientAttestation: headerValues(request, 'oauth-client-attestation'),
      clientAttestationPop: headerValues(request, 'oauth-client-attestation-pop'),
    });
    return withDpopNonce(answer, reply);
  }

  @Post('nonce')
  @HttpCode(200)
  async issueNonce(@AtIssuer() at: OfIssuer, @Res({ passthrough: true }) reply: FastifyReply) {
    return withDpopNonce(await this.ask(IssueNonce, at), reply);
  }

  @Post('challenge')
  @HttpCode(200)
  async issueChallenge(@AtIssuer() at: OfIssuer) {
    return this.ask(IssueChallenge, at);
  }

  @Get('types/:configurationId')
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', SHORT_CACHE)
  @Header('content-security-policy', "default-src 'none'")
  async getTypeMetadata(
    @AtIssuer() at: OfIssuer,
    @Param('configurationId', aName('type_metadata_not_found')) configurationId: string,
  ): Promise<string> {
    return (await this.ask(GetTypeMetadata, { ...at, configurationId })).json;
  }
}
