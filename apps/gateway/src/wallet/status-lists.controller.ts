import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Get, Inject, Param, Query, Req, Res, type PipeTransform } from '@nestjs/common';
import { GetStatusList } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { takesCwtAlone } from './accept';
import { acceptsGzip, matchesEtag } from '../http/conditional';
import { IssuerApi, issuerIn, type OfIssuer } from './issuer-api';
import { anId } from '../http/path-segment';

/** A status list, as the bytes to serve. */
interface ServedList {
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

const MEDIA_TYPE = 'application/statuslist+jwt';
const MAX_LISTS = 16;
const compress = promisify(gzip);

/** Only the current list is available (Token Status List §8.4). */
class NowPipe implements PipeTransform<unknown, undefined> {
  transform(time: unknown): undefined {
    if (time === undefined) return undefined;
    const detail = 'status lists of the past are not offered: leave out time';
    throw new ApiError({ kind: 'invalid', code: 'status_time_unsupported', detail });
  }
}

function cwtUnsupported(): ApiError {
  const detail = 'status lists are offered as application/statuslist+jwt alone';
  return new ApiError({ kind: 'invalid', code: 'status_format_unsupported', detail });
}

/** The signed status lists of issued credentials (Token Status List §8), for everybody. */
@IssuerApi('oidc4vci/status-lists')
export class StatusListsController {
  /**
   * The lists served last by issuer and id, the least recently requested first; the issuer is asked each time whether the list is still
   * current.
   */
  readonly #lists = new Map<string, ServedList>();

  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get(':listId')
  async getStatusList(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('listId', anId('status_list_not_found')) listId: string,
    @Query('time', NowPipe) _time: undefined,
  ): Promise<Buffer | undefined> {
    if (takesCwtAlone(request.headers.accept)) throw cwtUnsupported();
    const { list, maxAgeSeconds } = await this.find(listId, issuerIn(request));
    const zipped = acceptsGzip(request.headers['accept-encoding']);
    void reply.headers({
      'cache-control': `public, max-age=${maxAgeSeconds}`,
      etag: zipped ? `"${list.etag}-gzip"` : `"${list.etag}"`,
      vary: 'accept, accept-encoding',
    });
    if (matchesEtag(request.headers['if-none-match'], [list.etag, `${list.etag}-gzip`])) {
      void reply.status(304);
      return undefined;
    }
    void reply.headers({ 'content-type': MEDIA_TYPE, ...(zipped ? { 'content-encoding': 'gzip' } : {}) });
    return zipped ? list.gzipped : list.plain;
  }

  private async find(listId: string, at: OfIssuer): Promise<{ list: ServedList; maxAgeSeconds: number }> {
    const place = `${at.issuer ?? ''}/${listId}`;
    const known = this.#lists.get(place);
    const { etag, maxAgeSeconds, token } = await this.ask(GetStatusList, {
      ...at,
      listId,
      ...(known ? { knownEtag: known.etag } : {}),
    });
    const list = token === undefined ? known : await this.load(etag, token);
    if (!list) throw new TypeError('the issuer left out a status list that was not known');
    this.keep(place, list);
    return { list, maxAgeSeconds };
  }

  private async load(etag: string, token: string): Promise<ServedList> {
    const plain = Buffer.from(token, 'ascii');
    return { etag, plain, gzipped: await compress(plain) };
  }

  private keep(place: string, list: ServedList): void {
    this.#lists.delete(place);
    this.#lists.set(place, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
  }
}
