import { Controller, Get, Header, Headers, Inject, Res } from '@nestjs/common';
import { GetIssuerDocument, GetSignedMetadata } from '@vestibule/contracts';
import type { FastifyReply } from 'fastify';
import { ASK, type Ask } from '../ask';
import { prefersJwt } from './accept';
import { AtIssuer, ISSUER_NAME, ISSUER_PARAMETER, type OfIssuer } from './issuer-api';
import { WalletApi } from './wallet-api';

const JSON_TYPE = 'application/json; charset=utf-8';
const SHORT_CACHE = 'public, max-age=300';

/** The document of each issuer identifier: the path of the identifier follows its name. */
const ofEach = (name: string) => [name, `${name}/:${ISSUER_PARAMETER}`];

/**
 * The documents by which wallets and verifiers discover the issuer (OpenID4VCI 1.0 §12.2, RFC 8414 §3, SD-JWT VC §5).
 */
@WalletApi('well-known', { [ISSUER_PARAMETER]: ISSUER_NAME })
@Controller('.well-known')
export class MetadataController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get(ofEach('openid-credential-issuer'))
  @Header('cache-control', SHORT_CACHE)
  @Header('vary', 'accept')
  async getCredentialIssuer(
    @AtIssuer() at: OfIssuer,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { jwt } = prefersJwt(accept) ? await this.ask(GetSignedMetadata, at) : {};
    void reply.header('content-type', jwt === undefined ? JSON_TYPE : 'application/jwt');
    return jwt ?? (await this.ask(GetIssuerDocument, { ...at, document: 'openid-credential-issuer' })).json;
  }

  @Get(ofEach('oauth-authorization-server'))
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', SHORT_CACHE)
  async getAuthorizationServer(@AtIssuer() at: OfIssuer): Promise<string> {
    return (await this.ask(GetIssuerDocument, { ...at, document: 'oauth-authorization-server' })).json;
  }

  @Get(ofEach('jwt-vc-issuer'))
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', SHORT_CACHE)
  async getJwtVcIssuer(@AtIssuer() at: OfIssuer): Promise<string> {
    return (await this.ask(GetIssuerDocument, { ...at, document: 'jwt-vc-issuer' })).json;
  }
}
