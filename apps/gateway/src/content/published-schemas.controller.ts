import { Controller, Get, Header, Inject, Param } from '@nestjs/common';
import { GetPublishedSchema, type PublishedDocument } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { nameFrom } from '../http/path-segment';

const JSON_TYPE = 'application/json; charset=utf-8';
const JSON_LD_TYPE = 'application/ld+json; charset=utf-8';
const JSON_SCHEMA_TYPE = 'application/schema+json; charset=utf-8';
const CREDENTIAL_TYPE = 'application/vc; charset=utf-8';
/** What is published never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NOTHING = "default-src 'none'";

const NOT_FOUND = 'published_schema_not_found';
const VERSION = /^[1-9]\d{0,6}$/;

/** Published schemas, for everybody. */
@Controller('schemas/:tenant/:slug/:version')
export class PublishedSchemasController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get()
  @Header('content-type', CREDENTIAL_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getSchema(@Param('tenant') tenant: string, @Param('slug') slug: string, @Param('version') version: string) {
    return this.document({ tenant, slug, version }, 'schema');
  }

  @Get('context')
  @Header('content-type', JSON_LD_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getContext(@Param('tenant') tenant: string, @Param('slug') slug: string, @Param('version') version: string) {
    return this.document({ tenant, slug, version }, 'context');
  }

  @Get('json-schema')
  @Header('content-type', JSON_SCHEMA_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getJsonSchema(@Param('tenant') tenant: string, @Param('slug') slug: string, @Param('version') version: string) {
    return this.document({ tenant, slug, version }, 'json-schema');
  }

  @Get('type-metadata')
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getTypeMetadata(@Param('tenant') tenant: string, @Param('slug') slug: string, @Param('version') version: string) {
    return this.document({ tenant, slug, version }, 'type-metadata');
  }

  private async document(
    segments: { tenant: string; slug: string; version: string },
    document: PublishedDocument,
  ): Promise<string> {
    const [tenant, slug] = [nameFrom(segments.tenant, NOT_FOUND), nameFrom(segments.slug, NOT_FOUND)];
    const possible = VERSION.test(segments.version) && tenant.length <= 64 && slug.length <= 64;
    if (!possible) {
      throw new ApiError({ kind: 'not_found', code: NOT_FOUND, detail: 'there is nothing at this address' });
    }
    return (await this.ask(GetPublishedSchema, { tenant, slug, version: Number(segments.version), document })).json;
  }
}
