import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  AbandonDraft,
  CreateDraft,
  draftCreateBody,
  draftIssueBody,
  draftSearchBody,
  draftUpdateBody,
  GetClaimValues,
  IssueDraft,
  resourcePage,
  resourceView,
  SearchDrafts,
  UpdateDraft,
} from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { creationFrom } from '../http/creation';
import { headerValues } from '../http/header-values';
import { ApiQueryString, IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { didFrom } from '../http/path-segment';
import { callerFrom, VERSION_POLICY, type VersionPolicy } from './api-version';
import { ifMatchFrom, tagged } from './entity-tag';
import { IF_MATCH_HEADER, OAS_VERSION_HEADER, RESOURCE_HEADERS, VERSION_HEADERS } from './openapi-headers';
import { parseQuery, somewhereQuery } from './queries';

const DRAFT = { description: 'The draft', headers: RESOURCE_HEADERS, standardSchema: resourceView };

/** Credentials while they are made: drafts with typed values, and what they were issued from (schema and draft API). */
@ApiTags('Drafts')
@ApiSecurity('apiKey')
@ApiHeader(OAS_VERSION_HEADER)
@Controller()
export class DraftsController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(VERSION_POLICY) private readonly policy: VersionPolicy,
  ) {}

  @Post('drafts')
  @HttpCode(201)
  @ApiOperation({ operationId: 'createDraft', summary: 'Make a draft in a wallet, by default that of the tenant' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 201, ...DRAFT })
  @ApiResponse(PROBLEM_RESPONSE)
  create(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: draftCreateBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const [key] = headerValues(request, 'idempotency-key');
    const wallet = parseQuery(somewhereQuery, request.query);
    return tagged(reply, this.ask(CreateDraft, { ...caller, ...wallet, ...creationFrom(body, key) }));
  }

  @Post('drafts/search')
  @HttpCode(200)
  @ApiOperation({ operationId: 'searchDrafts', summary: 'Drafts of the tenant, by fields and labels' })
  @ApiResponse({ status: 200, description: 'A page of drafts', headers: VERSION_HEADERS, standardSchema: resourcePage })
  @ApiResponse(PROBLEM_RESPONSE)
  search(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: draftSearchBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    return this.ask(SearchDrafts, { ...caller, ...creationFrom(body ?? {}, undefined) });
  }

  @Patch('drafts/:id')
  @ApiOperation({ operationId: 'updateDraft', summary: 'Change a draft by JSON merge patch' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiResponse({ status: 200, ...DRAFT })
  @ApiResponse(PROBLEM_RESPONSE)
  update(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') segment: string,
    @Body({ schema: draftUpdateBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const id = didFrom(segment, 'draft_not_found');
    const question = { ...caller, id, ...ifMatchFrom(request), ...creationFrom(body, undefined) };
    return tagged(reply, this.ask(UpdateDraft, question));
  }

  @Post('drafts/:id/issue')
  @HttpCode(200)
  @ApiOperation({ operationId: 'issueDraft', summary: 'Sign a draft whose values are complete' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiResponse({ status: 200, ...DRAFT, description: 'The issued credential' })
  @ApiResponse(PROBLEM_RESPONSE)
  issue(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') segment: string,
    @Body({ schema: draftIssueBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const id = didFrom(segment, 'draft_not_found');
    const question = { ...caller, id, ...ifMatchFrom(request), ...creationFrom(body ?? {}, undefined) };
    return tagged(reply, this.ask(IssueDraft, question));
  }

  @Delete('drafts/:id')
  @ApiOperation({ operationId: 'abandonDraft', summary: 'Mark a draft as deleted' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiResponse({ status: 200, ...DRAFT, description: 'The abandoned draft' })
  @ApiResponse(PROBLEM_RESPONSE)
  abandon(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') segment: string,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const id = didFrom(segment, 'draft_not_found');
    return tagged(reply, this.ask(AbandonDraft, { ...caller, id, ...ifMatchFrom(request) }));
  }

  @Get('credentials/:id/values')
  @ApiOperation({ operationId: 'getClaimValues', summary: 'The values that an issued credential was made from' })
  @ApiResponse({ status: 200, ...DRAFT, description: 'The values, as drafts have them' })
  @ApiResponse(PROBLEM_RESPONSE)
  values(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') segment: string,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const id = didFrom(segment, 'credential_not_found');
    return tagged(reply, this.ask(GetClaimValues, { ...caller, id }));
  }
}
