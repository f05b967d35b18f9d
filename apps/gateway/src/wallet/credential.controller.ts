import { Body, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  AcceptNotification,
  IssueCredential,
  IssueDeferredCredential,
  type CredentialAnswer,
} from '@vestibule/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { headerValues } from '../http/header-values';
import { HAND_OVERS, type HandOvers } from './hand-overs';
import { OAuthEndpoint } from './oauth-endpoint';
import { byToken, NamesFlow } from './unserved-wallets';
import { AtIssuer, IssuerApi, type OfIssuer } from './issuer-api';
import type { WalletBody } from './wallet-bodies';

const ACCEPTED = 202;

function messageFrom(request: FastifyRequest, body: WalletBody | undefined) {
  return {
    authorization: headerValues(request, 'authorization'),
    dpop: headerValues(request, 'dpop'),
    ...(body?.kind === 'json' ? { body: body.value } : {}),
    ...(body?.kind === 'jwt' ? { jwt: body.text } : {}),
  };
}

/** An encrypted answer is sent unchanged; 202 means that the credential is not issued yet. */
function answerWith(reply: FastifyReply, answer: CredentialAnswer): string | object {
  const pending = 'jwe' in answer ? answer.pending : 'transaction_id' in answer;
  if (pending) void reply.status(ACCEPTED);
  if ('transaction_id' in answer) return answer;
  if ('jwe' in answer) {
    void reply.header('content-type', 'application/jwt');
    return answer.jwe;
  }
  // The name that the issuer gave the answer is not for the wallet.
  const { handOver: _, ...body } = answer;
  return body;
}

type CredentialContract = typeof IssueCredential | typeof IssueDeferredCredential;

/** What a wallet does with its access token (OpenID4VCI 1.0 §8, §9, §11). */
@IssuerApi('oidc4vci')
export class CredentialController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(HAND_OVERS) private readonly handOvers: HandOvers,
  ) {}

  @Post('credential')
  @OAuthEndpoint({ endpoint: 'credential' })
  @NamesFlow(byToken)
  @HttpCode(200)
  async issueCredential(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @AtIssuer() at: OfIssuer,
    @Body() body: WalletBody | undefined,
  ) {
    return this.answerWallet(IssueCredential, reply, { ...at, ...messageFrom(request, body) });
  }

  @Post('deferred_credential')
  @OAuthEndpoint({ endpoint: 'deferred_credential' })
  @NamesFlow(byToken)
  @HttpCode(200)
  async issueDeferredCredential(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @AtIssuer() at: OfIssuer,
    @Body() body: WalletBody | undefined,
  ) {
    return this.answerWallet(IssueDeferredCredential, reply, { ...at, ...messageFrom(request, body) });
  }

  @Post('notification')
  @OAuthEndpoint({ endpoint: 'notification' })
  @HttpCode(204)
  async acceptNotification(
    @Req() request: FastifyRequest,
    @AtIssuer() at: OfIssuer,
    @Body() body: WalletBody | undefined,
  ): Promise<void> {
    await this.ask(AcceptNotification, { ...at, ...messageFrom(request, body) });
  }

  private async answerWallet(
    contract: CredentialContract,
    reply: FastifyReply,
    message: ReturnType<typeof messageFrom> & OfIssuer,
  ) {
    const answer = await this.ask(contract, { ...message, reportsHandOver: true });
    if ('handOver' in answer && answer.handOver !== undefined) this.handOvers.follow(reply.raw, answer.handOver);
    return answerWith(reply, answer);
  }
}
