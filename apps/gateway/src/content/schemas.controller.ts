import { Body, Controller, Headers, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  CreateSchema,
  PublishSchema,
  publishedSchemaSearchBody,
  resourcePage,
  resourceView,
  schemaCreateBody,
  schemaPublishBody,
  schemaSearchBody,
  schemaUpdateBody,
  SearchPublishedSchemas,
  SearchSchemas,
  UpdateSchema,
} from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { creationFrom } from '../http/creation';
import { ApiQueryString, IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { idFrom } from '../http/path-segment';
import { callerFrom, VERSION_POLICY, type VersionPolicy } from './api-version';
import { ifMatchFrom, tagged } from './entity-tag';
import { IF_MATCH_HEADER, OAS_VERSION_HEADER, RESOURCE_HEADERS, VERSION_HEADERS } from './openapi-headers';
import { parseQuery, signerQuery } from './queries';

const SCHEMA = { description: 'The schema', headers: RESOURCE_HEADERS, standardSchema: resourceView };
const PAGE = { status: 200, headers: VERSION_HEADERS, standardSchema: resourcePage };

/** What credentials can say: schemas of a tenant, and publishing them (schema and draft API). */
@ApiTags('Schemas')
@ApiSecurity('apiKey')
@ApiHeader(OAS_VERSION_HEADER)
@Controller()
export class SchemasController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(VERSION_POLICY) private readonly policy: VersionPolicy,
  ) {}

  @Post('schemas')
  @HttpCode(201)
  @ApiOperation({ operationId: 'createSchema', summary: 'Make a schema, which may be empty' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  create(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: schemaCreateBody }) body: JsonValue | undefined,
    @Headers('idempotency-key') key: string | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    return tagged(reply, this.ask(CreateSchema, { ...caller, ...creationFrom(body ?? {}, key) }));
  }

  @Post('schemas/search')
  @HttpCode(200)
  @ApiOperation({ operationId: 'searchSchemas', summary: 'Schemas of the tenant, by fields and labels' })
  @ApiResponse({ description: 'A page of schemas', ...PAGE })
  @ApiResponse(PROBLEM_RESPONSE)
  search(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: schemaSearchBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    return this.ask(SearchSchemas, { ...caller, ...creationFrom(body ?? {}, undefined) });
  }

  @Post('published-schemas/search')
  @HttpCode(200)
  @ApiOperation({ operationId: 'searchPublishedSchemas', summary: 'Published schemas of the tenant' })
  @ApiResponse({ description: 'A page of published schemas', ...PAGE })
  @ApiResponse(PROBLEM_RESPONSE)
  searchPublished(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: publishedSchemaSearchBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    return this.ask(SearchPublishedSchemas, { ...caller, ...creationFrom(body ?? {}, undefined) });
  }

  @Patch('schemas/:id')
  @ApiOperation({ operationId: 'updateSchema', summary: 'Change a schema that is not published, by JSON merge patch' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiResponse({ status: 200, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  update(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') segment: string,
    @Body({ schema: schemaUpdateBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const id = idFrom(segment, 'schema_not_found');
    const question = { ...caller, id, ...ifMatchFrom(request), ...creationFrom(body, undefined) };
    return tagged(reply, this.ask(UpdateSchema, question));
  }

  @Patch('schemas/:id/publish')
  @ApiOperation({ operationId: 'publishSchema', summary: 'Make a schema immutable and publicly verifiable' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiQueryString(signerQuery)
  @ApiResponse({ status: 200, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  publish(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') segment: string,
    @Body({ schema: schemaPublishBody }) body: JsonValue | undefined,
  ) {
    const caller = callerFrom(request, reply, this.policy);
    const id = idFrom(segment, 'schema_not_found');
    const question = { ...caller, id, ...ifMatchFrom(request), ...creationFrom(body, undefined) };
    return tagged(reply, this.ask(PublishSchema, { ...question, ...parseQuery(signerQuery, request.query) }));
  }
}
