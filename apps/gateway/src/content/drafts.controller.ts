import { Get, HttpCode, Inject, Param, Patch, Post, Delete } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import {
  AbandonDraft,
  ChangeStoredCredentialStatus,
  CreateDraft,
  draftIssueBody,
  draftSearchBody,
  GetClaimValues,
  GetDraft,
  GetStoredCredentialStatus,
  IssueDraft,
  SearchDrafts,
  storedCredentialStatus,
  storedCredentialStatusBody,
  UpdateDraft,
} from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { ApiQueryString, IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { aDid } from '../http/path-segment';
import { IdempotencyKey, JudgedBody, ValidQuery, type Repeatable } from '../http/validation';
import { Caller, type ApiCaller } from './api-version.guard';
import { Change, ID_PARAMETER, Tagged, type Changed } from './entity-tag';
import { IF_MATCH_HEADER, RESOURCE_HEADERS, VERSION_HEADERS } from './openapi-headers';
import { somewhereQuery } from './queries';
import {
  draftCreateRequest,
  draftUpdateRequest,
  pageOf,
  resourceClaimValues,
  resourceCredential,
  resourceDraft,
} from './resource-description';
import { SchemaApi } from './schema-api';

const DRAFT_ID = aDid('draft_not_found');
const CREDENTIAL_ID = aDid('credential_not_found');
const DRAFT = { description: 'The draft', headers: RESOURCE_HEADERS, standardSchema: resourceDraft };

const STATUS = {
  description: 'The status of the credential',
  headers: VERSION_HEADERS,
  standardSchema: storedCredentialStatus,
};

const DRAFTS = pageOf('DraftPage', resourceDraft);

/**
 * Credentials before they are issued: drafts with typed values, and the values of issued ones (schema and draft API).
 */
@SchemaApi('Drafts')
export class DraftsController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('drafts')
  @HttpCode(201)
  @ApiOperation({
    operationId: 'DraftCreate',
    summary: "Create a draft in a wallet, by default the tenant's default wallet",
  })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(somewhereQuery)
  @Tagged()
  @ApiResponse({ status: 201, ...DRAFT })
  @ApiResponse(PROBLEM_RESPONSE)
  create(
    @IdempotencyKey() repeatable: Repeatable,
    @JudgedBody(draftCreateRequest) body: JsonObject,
    @ValidQuery(somewhereQuery) wallet: z.output<typeof somewhereQuery>,
    @Caller() caller: ApiCaller,
  ) {
    return this.ask(CreateDraft, { ...caller, ...wallet, ...repeatable, body });
  }

  @Post('drafts/search')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'DraftSearch',
    summary:
      'Drafts of the tenant, by fields and labels; issued and abandoned ones only where the filter names their state',
  })
  @ApiResponse({ status: 200, description: 'A page of drafts', headers: VERSION_HEADERS, standardSchema: DRAFTS })
  @ApiResponse(PROBLEM_RESPONSE)
  search(@JudgedBody(draftSearchBody, { absent: {} }) body: JsonObject, @Caller() caller: ApiCaller) {
    return this.ask(SearchDrafts, { ...caller, body });
  }

  @Get('drafts/:id')
  @ApiOperation({ operationId: 'DraftGet', summary: 'A draft in its latest revision, also when issued or abandoned' })
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...DRAFT })
  @ApiResponse(PROBLEM_RESPONSE)
  get(@Param('id', DRAFT_ID) id: string, @Caller() caller: ApiCaller) {
    return this.ask(GetDraft, { ...caller, id });
  }

  @Patch('drafts/:id')
  @ApiOperation({ operationId: 'DraftUpdate', summary: 'Change a draft by JSON merge patch' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...DRAFT })
  @ApiResponse(PROBLEM_RESPONSE)
  update(
    @JudgedBody(draftUpdateRequest, { isPatch: true }) body: JsonObject,
    @Change(DRAFT_ID) changed: Changed,
    @Caller() caller: ApiCaller,
  ) {
    const question = { ...caller, ...changed, body };
    return this.ask(UpdateDraft, question);
  }

  @Post('drafts/:id/issue')
  @HttpCode(200)
  @ApiOperation({ operationId: 'DraftIssue', summary: 'Sign a draft with complete values' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...DRAFT, description: 'The issued credential', standardSchema: resourceCredential })
  @ApiResponse(PROBLEM_RESPONSE)
  issue(
    @JudgedBody(draftIssueBody, { absent: {} }) body: JsonObject,
    @Change(DRAFT_ID) changed: Changed,
    @Caller() caller: ApiCaller,
  ) {
    const question = { ...caller, ...changed, body };
    return this.ask(IssueDraft, question);
  }

  @Delete('drafts/:id')
  @ApiOperation({ operationId: 'DraftAbandon', summary: 'Mark a draft as deleted' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...DRAFT, description: 'The abandoned draft' })
  @ApiResponse(PROBLEM_RESPONSE)
  abandon(@Change(DRAFT_ID) changed: Changed, @Caller() caller: ApiCaller) {
    return this.ask(AbandonDraft, { ...caller, ...changed });
  }

  @Get('credentials/:id/values')
  @ApiOperation({
    operationId: 'GetCredentialClaimValues',
    summary: 'The values from which an issued credential was created',
  })
  @Tagged()
  @ApiResponse({
    status: 200,
    ...DRAFT,
    description: 'The values, in the form of drafts',
    standardSchema: resourceClaimValues,
  })
  @ApiResponse(PROBLEM_RESPONSE)
  values(@Param('id', CREDENTIAL_ID) id: string, @Caller() caller: ApiCaller) {
    return this.ask(GetClaimValues, { ...caller, id });
  }

  @Get('credentials/:id/status')
  @ApiOperation({
    operationId: 'CredentialStatusGet',
    summary: 'Whether a credential that was created from a draft is valid, suspended or revoked',
  })
  @ApiParam(ID_PARAMETER)
  @ApiResponse({ status: 200, ...STATUS })
  @ApiResponse(PROBLEM_RESPONSE)
  status(@Param('id', CREDENTIAL_ID) id: string, @Caller() caller: ApiCaller) {
    return this.ask(GetStoredCredentialStatus, { ...caller, id });
  }

  @Patch('credentials/:id/status')
  @ApiOperation({
    operationId: 'CredentialStatusChange',
    summary: 'Revoke, suspend or restore a credential that was issued with status_purposes; revocation is final',
  })
  @ApiParam(ID_PARAMETER)
  @ApiResponse({ status: 200, ...STATUS })
  @ApiResponse(PROBLEM_RESPONSE)
  changeStatus(
    @JudgedBody(storedCredentialStatusBody) body: JsonObject,
    @Param('id', CREDENTIAL_ID) id: string,
    @Caller() caller: ApiCaller,
  ) {
    return this.ask(ChangeStoredCredentialStatus, { ...caller, id, body });
  }
}
