import { Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import {
  CreateSchema,
  GetSchema,
  PublishSchema,
  publishedSchemaSearchBody,
  schemaPublishBody,
  schemaSearchBody,
  SearchPublishedSchemas,
  SearchSchemas,
  UpdateSchema,
} from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { ApiQueryString, IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { anId } from '../http/path-segment';
import { IdempotencyKey, JudgedBody, ValidQuery, type Repeatable } from '../http/validation';
import { Caller, type ApiCaller } from './api-version.guard';
import { Change, ID_PARAMETER, Tagged, type Changed } from './entity-tag';
import { IF_MATCH_HEADER, RESOURCE_HEADERS, VERSION_HEADERS } from './openapi-headers';
import { signerQuery } from './queries';
import {
  pageOf,
  resourcePublishedSchema,
  resourceSchema,
  schemaCreateRequest,
  schemaUpdateRequest,
} from './resource-description';
import { SchemaApi } from './schema-api';

const SCHEMA_ID = anId('schema_not_found');
const SCHEMA = { description: 'The schema', headers: RESOURCE_HEADERS, standardSchema: resourceSchema };
const PAGE = { status: 200, headers: VERSION_HEADERS };
const SCHEMAS = pageOf('SchemaPage', resourceSchema);
const PUBLISHED_SCHEMAS = pageOf('PublishedSchemaPage', resourcePublishedSchema);

/** The schemas of a tenant, and their publication (schema and draft API). */
@SchemaApi('Schemas')
export class SchemasController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('schemas')
  @HttpCode(201)
  @ApiOperation({ operationId: 'SchemaCreate', summary: 'Create a schema, which may be empty' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @Tagged()
  @ApiResponse({ status: 201, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  create(
    @IdempotencyKey() repeatable: Repeatable,
    @JudgedBody(schemaCreateRequest, { absent: {} }) body: JsonObject,
    @Caller() caller: ApiCaller,
  ) {
    return this.ask(CreateSchema, { ...caller, ...repeatable, body });
  }

  @Post('schemas/search')
  @HttpCode(200)
  @ApiOperation({ operationId: 'SchemaSearch', summary: 'Schemas of the tenant, by fields and labels' })
  @ApiResponse({ description: 'A page of schemas', ...PAGE, standardSchema: SCHEMAS })
  @ApiResponse(PROBLEM_RESPONSE)
  search(@JudgedBody(schemaSearchBody, { absent: {} }) body: JsonObject, @Caller() caller: ApiCaller) {
    return this.ask(SearchSchemas, { ...caller, body });
  }

  @Post('published-schemas/search')
  @HttpCode(200)
  @ApiOperation({ operationId: 'PublishedSchemaSearch', summary: 'Published schemas of the tenant' })
  @ApiResponse({ description: 'A page of published schemas', ...PAGE, standardSchema: PUBLISHED_SCHEMAS })
  @ApiResponse(PROBLEM_RESPONSE)
  searchPublished(
    @JudgedBody(publishedSchemaSearchBody, { absent: {} }) body: JsonObject,
    @Caller() caller: ApiCaller,
  ) {
    return this.ask(SearchPublishedSchemas, { ...caller, body });
  }

  @Get('schemas/:id')
  @ApiOperation({ operationId: 'SchemaGet', summary: 'A schema in its latest revision, published or not' })
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  get(@Param('id', SCHEMA_ID) id: string, @Caller() caller: ApiCaller) {
    return this.ask(GetSchema, { ...caller, id });
  }

  @Patch('schemas/:id')
  @ApiOperation({ operationId: 'SchemaUpdate', summary: 'Change an unpublished schema by JSON merge patch' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  update(
    @JudgedBody(schemaUpdateRequest, { isPatch: true }) body: JsonObject,
    @Change(SCHEMA_ID) changed: Changed,
    @Caller() caller: ApiCaller,
  ) {
    const question = { ...caller, ...changed, body };
    return this.ask(UpdateSchema, question);
  }

  @Patch('schemas/:id/publish')
  @ApiOperation({ operationId: 'SchemaPublish', summary: 'Make a schema immutable and publicly verifiable' })
  @ApiHeader(IF_MATCH_HEADER)
  @ApiQueryString(signerQuery)
  @ApiParam(ID_PARAMETER)
  @Tagged()
  @ApiResponse({ status: 200, ...SCHEMA })
  @ApiResponse(PROBLEM_RESPONSE)
  publish(
    @ValidQuery(signerQuery) signer: z.output<typeof signerQuery>,
    @JudgedBody(schemaPublishBody, { absent: {} }) body: JsonObject,
    @Change(SCHEMA_ID) changed: Changed,
    @Caller() caller: ApiCaller,
  ) {
    const question = { ...caller, ...changed, body };
    return this.ask(PublishSchema, { ...question, ...signer });
  }
}
