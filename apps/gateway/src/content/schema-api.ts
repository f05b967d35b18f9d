import { applyDecorators, Controller } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Addressed } from '../http/addresses';
import { OAS_VERSION_HEADER } from './openapi-headers';
import { TenantApi } from './tenant-api';

/** The tags of the schema and draft API, which has its own versions, prefix and descriptions. */
export const SCHEMA_API_TAGS = ['Schemas', 'Drafts'] as const;

/** A controller of the schema and draft API. */
export const SchemaApi = (tag: (typeof SCHEMA_API_TAGS)[number]) =>
  applyDecorators(
    ApiTags(tag),
    TenantApi(),
    ApiHeader(OAS_VERSION_HEADER),
    Addressed({ at: 'schema-prefix' }),
    Controller(),
  );
