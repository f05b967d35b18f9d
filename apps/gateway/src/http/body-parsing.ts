import { Reflector } from '@nestjs/core';
import { DomainError } from '@vestibule/foundation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noSuchRoute } from './errors';
import { declared, type RouteTable } from './routes';

/** Parses the bytes of a body, of which there is at least one; what it throws goes to the caller. */
export type ParseBody = (bytes: Buffer) => unknown;

/** How the bodies of a controller's routes are parsed, by media type. */
export interface BodyParser {
  readonly types: Readonly<Record<string, ParseBody>>;
  /** For every other media type. */
  readonly others: ParseBody;
}

/** Declares how the bodies of a controller's routes are parsed: `@ParsesBodies(JSON_BODIES)`. */
export const ParsesBodies = Reflector.createDecorator<BodyParser>();

/** No body is decompressed: what a client encoded would be read as what it is not. */
function refuseEncoded({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || /^\s*(?:identity)?\s*$/i.test(encoding)) return;
  const detail = 'send the body as it is, without Content-Encoding';
  throw new DomainError({ kind: 'invalid', code: 'unsupported_media_type', detail });
}

/** Parses each body as its route declares; a route without a declaration accepts none. */
export function parseBodies(instance: FastifyInstance, table: RouteTable): void {
  const parserOf = table.about((route) => declared(ParsesBodies, route));
  const parsers = table.all.flatMap((route) => declared(ParsesBodies, route) ?? []);
  const mediaTypes = new Set(parsers.flatMap(({ types }) => Object.keys(types)));
  const add = (mediaType: string, choose: (parser: BodyParser) => ParseBody): void => {
    instance.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
      try {
        const parser = parserOf(request);
        if (parser === undefined) throw noSuchRoute();
        refuseEncoded(request);
        // Clients declare a media type even without a body.
        done(null, bytes.byteLength === 0 ? undefined : choose(parser)(bytes));
      } catch (error) {
        done(error as Error);
      }
    });
  };
  for (const mediaType of mediaTypes) add(mediaType, ({ types, others }) => types[mediaType] ?? others);
  add('*', ({ others }) => others);
}
