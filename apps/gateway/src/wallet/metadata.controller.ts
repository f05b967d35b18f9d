import { Controller, Get, Header, Headers, Inject, Res } from '@nestjs/common';
import { GetIssuerDocument, GetSignedMetadata } from '@vestibule/contracts';
import type { FastifyReply } from 'fastify';
import { ASK, type Ask } from '../ask';
import { prefersJwt } from './accept';
import { WalletApi } from './wallet-api';

const JSON_TYPE = 'application/json; charset=utf-8';
const SHORT_CACHE = 'public, max-age=300';

/**
 * The documents by which wallets and verifiers discover the issuer (OpenID4VCI 1.0 §12.2, RFC 8414 §3, SD-JWT VC §5).
 */
@WalletApi('well-known')
@Controller('.well-known')
export class MetadataController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get('openid-credential-issuer')
  @Header('cache-control', SHORT_CACHE)
  @Header('vary', 'accept')
  async getCredentialIssuer(
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { jwt } = prefersJwt(accept) ? await this.ask(GetSignedMetadata, {}) : {};
    void reply.header('content-type', jwt === undefined ? JSON_TYPE : 'application/jwt');
    return jwt ?? (await this.ask(GetIssuerDocument, { document: 'openid-credential-issuer' })).json;
  }

  @Get('oauth-authorization-server')
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', SHORT_CACHE)
  async getAuthorizationServer(): Promise<string> {
    return (await this.ask(GetIssuerDocument, { document: 'oauth-authorization-server' })).json;
  }

  @Get('jwt-vc-issuer')
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', SHORT_CACHE)
  async getJwtVcIssuer(): Promise<string> {
    return (await this.ask(GetIssuerDocument, { document: 'jwt-vc-issuer' })).json;
  }
}
