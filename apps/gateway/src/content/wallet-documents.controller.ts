import { Delete, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import {
  AbandonPresentation,
  CreatePresentation,
  credentialImport,
  credentialView,
  ImportCredential,
  IssuePresentation,
  presentationBinding,
  presentationCreation,
  presentationUpdate,
  presentationView,
  PresentPresentation,
  UpdatePresentation,
} from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { ApiQueryString, IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { aDid } from '../http/path-segment';
import { IdempotencyKey, JudgedBody, ValidBody, ValidQuery, type Repeatable } from '../http/validation';
import { Change, ID_PARAMETER, type Changed } from './entity-tag';
import { IF_MATCH_HEADER } from './openapi-headers';
import { somewhereQuery, targetQuery } from './queries';
import { Tenant, type TenantKey } from './tenant';
import { WalletContentApi } from './wallet-content-api';

type Somewhere = z.output<typeof somewhereQuery>;
const PRESENTATION_DID = aDid('presentation_not_found');
const PRESENTATION = { description: 'The presentation, in its new revision', standardSchema: presentationView };

/** Writes documents into wallets (wallet content API v1). */
@WalletContentApi()
export class WalletDocumentsController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('credentials')
  @HttpCode(201)
  @ApiOperation({
    operationId: 'CredentialImportV1',
    summary: 'Verify an issued credential and import it into a wallet',
  })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 201, description: 'The credential', standardSchema: credentialView })
  @ApiResponse(PROBLEM_RESPONSE)
  importCredential(
    @Tenant() tenant: TenantKey,
    @IdempotencyKey() repeatable: Repeatable,
    @ValidQuery(somewhereQuery) wallet: Somewhere,
    @ValidBody(credentialImport) { Body: document, MetaData: metaData }: z.output<typeof credentialImport>,
  ) {
    return this.ask(ImportCredential, { ...tenant, ...wallet, document, metaData, ...repeatable });
  }

  @Post('vp')
  @HttpCode(201)
  @ApiOperation({
    operationId: 'PresentationCreateV1',
    summary: 'Create a presentation draft from credentials of a wallet',
  })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 201, description: 'The presentation draft', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  createPresentation(
    @Tenant() tenant: TenantKey,
    @IdempotencyKey() repeatable: Repeatable,
    @ValidQuery(somewhereQuery) wallet: Somewhere,
    @ValidBody(presentationCreation) body: z.output<typeof presentationCreation>,
  ) {
    const { CredentialDids: credentialDids, MetaData: metaData } = body;
    return this.ask(CreatePresentation, { ...tenant, ...wallet, credentialDids, metaData, ...repeatable });
  }

  @Patch('vp/:did')
  @ApiOperation({ operationId: 'PresentationUpdateV1', summary: 'Change a presentation draft by JSON merge patch' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam({ ...ID_PARAMETER, name: 'did' })
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 200, ...PRESENTATION })
  @ApiResponse(PROBLEM_RESPONSE)
  updatePresentation(
    @Tenant() tenant: TenantKey,
    @ValidQuery(somewhereQuery) wallet: Somewhere,
    @JudgedBody(presentationUpdate, { isPatch: true }) body: JsonObject,
    @Change(PRESENTATION_DID, 'did') { id: presentationDid, ...expected }: Changed,
  ) {
    return this.ask(UpdatePresentation, { ...tenant, ...wallet, ...expected, presentationDid, body });
  }

  @Post('vp/:did/issue')
  @HttpCode(200)
  @ApiOperation({ operationId: 'PresentationIssueV1', summary: 'Sign a presentation draft with the key of its holder' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam({ ...ID_PARAMETER, name: 'did' })
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 200, ...PRESENTATION })
  @ApiResponse(PROBLEM_RESPONSE)
  issuePresentation(
    @Tenant() tenant: TenantKey,
    @ValidQuery(somewhereQuery) wallet: Somewhere,
    @ValidBody(presentationBinding, { absent: {} }) body: z.output<typeof presentationBinding>,
    @Change(PRESENTATION_DID, 'did') { id: presentationDid, ...expected }: Changed,
  ) {
    const { Challenge: challenge, Domain: domain } = body;
    return this.ask(IssuePresentation, { ...tenant, ...wallet, ...expected, presentationDid, challenge, domain });
  }

  @Delete('vp/:did')
  @ApiOperation({ operationId: 'PresentationAbandonV1', summary: 'Mark a presentation draft as deleted' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam({ ...ID_PARAMETER, name: 'did' })
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 200, ...PRESENTATION })
  @ApiResponse(PROBLEM_RESPONSE)
  abandonPresentation(
    @Tenant() tenant: TenantKey,
    @ValidQuery(somewhereQuery) wallet: Somewhere,
    @Change(PRESENTATION_DID, 'did') { id: presentationDid, ...expected }: Changed,
  ) {
    return this.ask(AbandonPresentation, { ...tenant, ...wallet, ...expected, presentationDid });
  }

  @Post('vp/:did/present')
  @HttpCode(201)
  @ApiOperation({
    operationId: 'PresentationPresentV1',
    summary: 'Copy an issued presentation and its credentials to another wallet',
  })
  @ApiQueryString(targetQuery)
  @ApiResponse({ status: 201, description: 'The presentation in that wallet', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  presentPresentation(
    @Tenant() tenant: TenantKey,
    @ValidQuery(targetQuery) target: z.output<typeof targetQuery>,
    @Param('did', PRESENTATION_DID) presentationDid: string,
  ) {
    return this.ask(PresentPresentation, { ...tenant, ...target, presentationDid });
  }
}
