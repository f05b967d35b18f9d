import { Body, Controller, Get, Header, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { GetRequestObject, SubmitPresentation } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { anId, isId, nothingAt } from '../http/path-segment';
import { PromptPipe } from '../http/prompt-pipes';
import { FormPipe, OptionalFormPipe, type FormEntries } from './form.pipe';
import { OAuthEndpoint } from './oauth-endpoint';
import { ForStates } from './unknown-states';
import { byParameter, NamesFlow } from './unserved-wallets';
import { WalletApi } from './wallet-api';

const REQUEST_OBJECT_TYPE = 'application/oauth-authz-req+jwt';
const NOT_FOUND = 'request_not_found';
const REQUEST = anId(NOT_FOUND);

function unexpected(): ApiError {
  const detail = 'expected a form for an open request';
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail });
}

function noForm(): ApiError {
  return new ApiError({ kind: 'invalid', code: 'unsupported_media_type', detail: 'the body must be a form' });
}

/** The state that a wallet responds to; a string that cannot be a state is refused as if there were no open request. */
class StatePipe extends PromptPipe<string, string> {
  transform(segment: string): string {
    if (isId(segment)) return segment;
    throw unexpected();
  }
}

class FlowPipe extends PromptPipe<unknown, { readonly flowType?: string }> {
  transform(flowType: unknown) {
    return typeof flowType === 'string' ? { flowType: flowType.slice(0, 64) } : {};
  }
}

/** What a wallet needs to answer a presentation request (OpenID4VP 1.0 §5.10, §8.2). */
@WalletApi('base')
@NamesFlow(byParameter('state', 'state'))
@Controller('oidc4vp/:state')
export class PresentationController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get('request')
  @OAuthEndpoint({ refusesMediaTypes: true })
  @Header('content-type', REQUEST_OBJECT_TYPE)
  async getRequestObject(
    @Query('flow_type', FlowPipe) flow: { readonly flowType?: string },
    @Param('state', REQUEST) state: string,
  ): Promise<string> {
    return (await this.ask(GetRequestObject, { state, ...flow })).requestObject;
  }

  @Post('request')
  @OAuthEndpoint({ refusesMediaTypes: true })
  @ForStates(() => nothingAt(NOT_FOUND))
  @HttpCode(200)
  @Header('content-type', REQUEST_OBJECT_TYPE)
  async postForRequestObject(
    @Query('flow_type', FlowPipe) flow: { readonly flowType?: string },
    @Param('state', REQUEST) state: string,
    @Body(new OptionalFormPipe(noForm)) form: FormEntries,
  ): Promise<string> {
    return (await this.ask(GetRequestObject, { state, ...flow, form })).requestObject;
  }

  @Post('response')
  @ForStates(unexpected)
  @HttpCode(200)
  async submit(
    @Param('state', StatePipe) state: string,
    @Body(new FormPipe(unexpected)) form: FormEntries,
  ): Promise<{ redirect_uri?: string }> {
    const { redirectUri } = await this.ask(SubmitPresentation, { state, form });
    return redirectUri === undefined ? {} : { redirect_uri: redirectUri };
  }
}
