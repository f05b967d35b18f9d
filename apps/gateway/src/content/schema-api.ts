import { applyDecorators, Controller, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Addressed } from '../http/addresses';
import { ApiVersionGuard } from './api-version.guard';
import { OAS_VERSION_HEADER } from './openapi-headers';
import { TenantApi } from './tenant-api';

/** The tags of the schema and draft API, which has its own versions, prefix and descriptions. */
type SchemaApiTag = 'Schemas' | 'Drafts';

/** A controller of the schema and draft API. */
export const SchemaApi = (tag: SchemaApiTag) =>
  applyDecorators(
    ApiTags(tag),
    TenantApi(),
    // After the guard of the API key: who has none learns nothing.
    UseGuards(ApiVersionGuard),
    ApiHeader(OAS_VERSION_HEADER),
    Addressed({ at: 'schema-prefix' }),
    Controller(),
  );
