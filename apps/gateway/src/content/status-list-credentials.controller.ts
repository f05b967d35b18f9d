import { Controller, Get, Inject, Param, Req, Res, type PipeTransform } from '@nestjs/common';
import { GetStatusListCredential } from '@vestibule/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { Addressed } from '../http/addresses';
import { matchesEtag } from '../http/conditional';
import { OpenJsonApi } from '../http/json-api';
import { isName, nothingAt } from '../http/path-segment';

interface ListName {
  readonly tenant: string;
  readonly listId: string;
}

/** Reads the segments of the path; throws `credential_status_list_not_found` if they cannot name a list. */
class ListNamePipe implements PipeTransform<ListName, ListName> {
  transform({ tenant, listId }: ListName): ListName {
    if (isName(tenant, 64) && isName(listId, 64)) return { tenant, listId };
    throw nothingAt('credential_status_list_not_found');
  }
}

/** A list that was served, and its entity tag. */
interface ServedList {
  readonly etag: string;
  readonly json: string;
}

const MAX_LISTS = 64;

/** The status lists of W3C credentials (Bitstring Status List 1.0 §2.2), for everybody, at permanent addresses. */
@OpenJsonApi()
@Addressed({ at: 'base', segments: 3 })
@Controller('credential-status/:tenant/:listId')
export class StatusListCredentialsController {
  /** The lists served last, the least recently requested first; whether one is current is asked each time. */
  readonly #lists = new Map<string, ServedList>();

  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get()
  async get(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param(ListNamePipe) name: ListName,
  ): Promise<string | undefined> {
    const key = `${name.tenant}/${name.listId}`;
    const known = this.#lists.get(key);
    const question = { ...name, ...(known ? { knownEtag: known.etag } : {}) };
    const { etag, maxAgeSeconds, json = known?.json } = await this.ask(GetStatusListCredential, question);
    if (json === undefined) throw new TypeError('the wallet store left out a status list that was not known');
    this.keep(key, { etag, json });
    void reply.headers({ 'cache-control': `public, max-age=${maxAgeSeconds}`, etag: `"${etag}"` });
    if (matchesEtag(request.headers['if-none-match'], [etag])) {
      void reply.status(304);
      return undefined;
    }
    void reply.headers({
      'content-type': 'application/vc; charset=utf-8',
      'content-security-policy': "default-src 'none'",
    });
    return json;
  }

  private keep(key: string, list: ServedList): void {
    this.#lists.delete(key);
    this.#lists.set(key, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
  }
}
