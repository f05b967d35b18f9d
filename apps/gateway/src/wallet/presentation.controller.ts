import { Body, Controller, Get, Header, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { GetRequestObject, SubmitPresentation } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import type { WalletBody } from '../http/bodies';
import { idFrom, isId } from '../http/path-segment';

const REQUEST_OBJECT_TYPE = 'application/oauth-authz-req+jwt';
const NOT_FOUND = 'request_not_found';

/** What a wallet needs to answer a presentation request (OpenID4VP 1.0 §5.10, §8.2). */
@Controller('oidc4vp/:state')
export class PresentationController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get('request')
  @Header('content-type', REQUEST_OBJECT_TYPE)
  async getRequestObject(@Param('state') state: string, @Query('flow_type') flowType: unknown): Promise<string> {
    const { requestObject } = await this.ask(GetRequestObject, { state: idFrom(state, NOT_FOUND), ...flow(flowType) });
    return requestObject;
  }

  @Post('request')
  @HttpCode(200)
  @Header('content-type', REQUEST_OBJECT_TYPE)
  async postForRequestObject(
    @Param('state') state: string,
    @Query('flow_type') flowType: unknown,
    @Body() body: WalletBody | undefined,
  ): Promise<string> {
    if (body !== undefined && body.kind !== 'form') {
      throw new ApiError({ kind: 'invalid', code: 'unsupported_media_type', detail: 'the body must be a form' });
    }
    const question = { state: idFrom(state, NOT_FOUND), ...flow(flowType), form: body?.entries ?? [] };
    return (await this.ask(GetRequestObject, question)).requestObject;
  }

  @Post('response')
  @HttpCode(200)
  async submit(
    @Param('state') state: string,
    @Body() body: WalletBody | undefined,
  ): Promise<{ redirect_uri?: string }> {
    if (body?.kind !== 'form' || !isId(state)) {
      throw new ApiError({
        kind: 'invalid',
        code: 'invalid_request',
        detail: 'a form for an open request is expected',
      });
    }
    const { redirectUri } = await this.ask(SubmitPresentation, { state, form: body.entries });
    return redirectUri === undefined ? {} : { redirect_uri: redirectUri };
  }
}

function flow(flowType: unknown): { flowType?: string } {
  return typeof flowType === 'string' ? { flowType: flowType.slice(0, 64) } : {};
}
