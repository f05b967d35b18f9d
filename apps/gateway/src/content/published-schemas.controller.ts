import { Controller, Get, Header, Inject, Param, type PipeTransform } from '@nestjs/common';
import { GetPublishedSchema, type PublishedDocument } from '@vestibule/contracts';
import { ASK, type Ask } from '../ask';
import { Addressed } from '../http/addresses';
import { OpenJsonApi } from '../http/json-api';
import { isName, nothingAt } from '../http/path-segment';

const JSON_TYPE = 'application/json; charset=utf-8';
const JSON_LD_TYPE = 'application/ld+json; charset=utf-8';
const JSON_SCHEMA_TYPE = 'application/schema+json; charset=utf-8';
const CREDENTIAL_TYPE = 'application/vc; charset=utf-8';
/** A published schema never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NOTHING = "default-src 'none'";

const VERSION = /^[1-9]\d{0,6}$/;

/** The name of a published schema. */
interface PublishedName {
  readonly tenant: string;
  readonly slug: string;
  readonly version: number;
}

/** Reads the segments of the path; throws `published_schema_not_found` if they cannot be the name of a schema. */
class PublishedNamePipe implements PipeTransform<Readonly<Record<keyof PublishedName, string>>, PublishedName> {
  transform({ tenant, slug, version }: Readonly<Record<keyof PublishedName, string>>): PublishedName {
    if (isName(tenant, 64) && isName(slug, 64) && VERSION.test(version)) {
      return { tenant, slug, version: Number(version) };
    }
    throw nothingAt('published_schema_not_found');
  }
}

/** Published schemas, for everybody, at permanent addresses, whatever the prefix of the schema and draft API. */
@OpenJsonApi()
@Addressed({ at: 'base', segments: 4, where: { version: /\d+/ } })
@Controller('schemas/:tenant/:slug/:version')
export class PublishedSchemasController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get()
  @Header('content-type', CREDENTIAL_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getSchema(@Param(PublishedNamePipe) name: PublishedName) {
    return this.document(name, 'schema');
  }

  @Get('context')
  @Header('content-type', JSON_LD_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getContext(@Param(PublishedNamePipe) name: PublishedName) {
    return this.document(name, 'context');
  }

  @Get('json-schema')
  @Header('content-type', JSON_SCHEMA_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getJsonSchema(@Param(PublishedNamePipe) name: PublishedName) {
    return this.document(name, 'json-schema');
  }

  @Get('type-metadata')
  @Header('content-type', JSON_TYPE)
  @Header('cache-control', IMMUTABLE)
  @Header('content-security-policy', NOTHING)
  getTypeMetadata(@Param(PublishedNamePipe) name: PublishedName) {
    return this.document(name, 'type-metadata');
  }

  private async document(name: PublishedName, document: PublishedDocument): Promise<string> {
    return (await this.ask(GetPublishedSchema, { ...name, document })).json;
  }
}
