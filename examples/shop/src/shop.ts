import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  CallbackError,
  createClient,
  verifyCallback,
  type PresentedCredentialsEvent,
  type VestibuleClient,
} from '@vestibule/client';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AGE, LOGIN, queryFor, type Purpose } from './queries';
import { servePages } from './pages';

export interface ShopOptions {
  /** Where browsers and callbacks reach the shop. */
  readonly url: string;
  /** The management listener of Vestibule. */
  readonly vestibuleUrl: string;
  /** `whsec_…`, to verify callbacks. */
  readonly callbackSecret: string;
  /** The folder of the built package @vestibule/web. */
  readonly webFolder: string;
}

/** One request that this shop began, in memory: a real shop uses its database. */
interface Flow {
  readonly purpose: Purpose;
  event?: PresentedCredentialsEvent;
  isUsed: boolean;
}

/** What the shop knows about a browser. */
export interface Session {
  /** The value of its cookie. */
  id: string;
  /** The flow that this browser began: never taken from a URL. */
  state?: string;
  offerId?: string;
  user?: string;
  isAdult?: boolean;
}

/** A request of a browser whose session is known, and the reply to it. */
interface Visit {
  readonly session: Session;
  readonly reply: FastifyReply;
}

const SESSION = /(?:^|; )shop_session=([A-Za-z0-9_-]{43})(?:;|$)/;
const isSame = (left: string, right: string) =>
  timingSafeEqual(createHash('sha256').update(left).digest(), createHash('sha256').update(right).digest());

class Shop {
  readonly #sessions = new Map<string, Session>();
  readonly #flows = new Map<string, Flow>();
  readonly #vestibule: VestibuleClient;

  constructor(private readonly options: ShopOptions) {
    this.#vestibule = createClient({ baseUrl: options.vestibuleUrl });
  }

  /** The session of this browser; a new one gets a cookie that no script can read and no other site can send along. */
  session(request: FastifyRequest, reply: FastifyReply): Session {
    const [, known = ''] = SESSION.exec(request.headers.cookie ?? '') ?? [];
    const found = this.#sessions.get(known);
    if (found) return found;
    return this.#name({ id: '' }, reply);
  }

  /** Gives the session a new cookie; the one before is worth nothing from now on. */
  #name(session: Session, reply: FastifyReply): Session {
    this.#sessions.delete(session.id);
    session.id = randomBytes(32).toString('base64url');
    this.#sessions.set(session.id, session);
    const secure = this.options.url.startsWith('https:') ? '; Secure' : '';
    void reply.header('set-cookie', `shop_session=${session.id}; Path=/; HttpOnly; SameSite=Lax${secure}`);
    return session;
  }

  /** Asks for what the purpose needs, and remembers in this browser's session which request it began. */
  async begin(session: Session, purpose: Purpose) {
    const created = await this.#vestibule.presentationRequests.create({
      dcql_query: queryFor(purpose),
      redirect_uri: `${this.options.url}/return`,
      callback_url: `${this.options.url}/callbacks`,
      expires_in: 300,
    });
    this.#flows.set(created.state, { purpose, isUsed: false });
    session.state = created.state;
    return { sameDevice: created.same_device_request_uri, crossDevice: created.cross_device_request_uri };
  }

  /** A callback counts if its signature is valid; a repetition changes nothing. */
  receive(body: Buffer, headers: FastifyRequest['headers']): void {
    const { type, event } = verifyCallback(body, headers, this.options.callbackSecret);
    const flow = type === 'presentedCredentials' ? this.#flows.get(event.state) : undefined;
    if (flow && type === 'presentedCredentials') flow.event ??= event;
  }

  /**
   * Uses what was presented, once. Claims of an issuer that is not trusted, or of somebody else's key, are worth nothing.
   * Who gets in gets a new cookie: whoever planted or saw the one before stays outside.
   */
  #use({ session, reply }: Visit, flow: Flow): boolean {
    const { event } = flow;
    const [pid] = event?.status === 'FULFILLED' ? (event.credentials['pid'] ?? []) : [];
    if (flow.isUsed || !pid?.isTrusted || !pid.kbSignatureIsValid) return false;
    flow.isUsed = true;
    const { given_name: name, age_equal_or_over: ages } = pid.claims as Record<string, unknown>;
    if (flow.purpose === LOGIN) session.user = String(name);
    if (flow.purpose === AGE) session.isAdult = (ages as Record<string, unknown> | undefined)?.['18'] === true;
    this.#name(session, reply);
    return true;
  }

  /**
   * What the page of this browser waits for. Cross-device: there is no response code, and the session that began the flow
   * gets the result. Same-device: it counts only when the browser comes back with the code, see {@link comeBack}.
   */
  status(visit: Visit): { readonly status: string } {
    const { session } = visit;
    const flow = this.#flows.get(session.state ?? '');
    if (!flow) return { status: 'none' };
    if (flow.isUsed) return { status: 'done' };
    if (!flow.event || (flow.event.status === 'FULFILLED' && flow.event.responseCode)) return { status: 'pending' };
    return { status: this.#use(visit, flow) ? 'done' : flow.event.status };
  }

  /** The browser comes back from the wallet: the code must be that of the flow that this very browser began. */
  comeBack(visit: Visit, code: unknown): 'done' | 'later' | 'refused' {
    const { session } = visit;
    const flow = this.#flows.get(session.state ?? '');
    if (!flow || flow.isUsed || typeof code !== 'string') return 'refused';
    if (!flow.event) return 'later';
    const expected = flow.event.status === 'FULFILLED' ? flow.event.responseCode : undefined;
    return expected !== undefined && isSame(expected, code) && this.#use(visit, flow) ? 'done' : 'refused';
  }

  /** Offers the loyalty card; the code goes another way than the link, here as a letter on the page. */
  async offerCard(session: Session) {
    const offer = await this.#vestibule.offers.create({
      credential_configuration_id: 'loyalty-card',
      claims: { member: session.user, level: session.isAdult ? 'gold' : 'silver' },
      tx_code: { input_mode: 'numeric', length: 6 },
      callback_url: `${this.options.url}/callbacks`,
    });
    session.offerId = offer.offer_id;
    return { offer: offer.credential_offer_uri, code: offer.tx_code_value };
  }

  async cardStatus({ offerId }: Session): Promise<{ readonly status: string }> {
    if (offerId === undefined) return { status: 'none' };
    const { status } = await this.#vestibule.offers.get(offerId);
    return { status: status === 'OFFER_CREATED' ? 'pending' : status };
  }
}

/** The shop as a server that does not listen yet. */
export function createShop(options: ShopOptions): FastifyInstance {
  const shop = new Shop(options);
  const app = fastify();
  // The signature is over the bytes as they came.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  servePages(app, options.webFolder, (request, reply) => shop.session(request, reply));
  app.post('/login', (request, reply) => shop.begin(shop.session(request, reply), LOGIN));
  app.post('/age', (request, reply) => shop.begin(shop.session(request, reply), AGE));
  app.post('/card', async (request, reply) => {
    const session = shop.session(request, reply);
    return session.user === undefined ? reply.code(403).send() : shop.offerCard(session);
  });
  const visit = (request: FastifyRequest, reply: FastifyReply) => ({ session: shop.session(request, reply), reply });
  app.get('/status', (request, reply) => reply.send(shop.status(visit(request, reply))));
  app.get('/card-status', (request, reply) => shop.cardStatus(shop.session(request, reply)));
  app.get('/return', (request, reply) => {
    const { response_code: code } = request.query as Record<string, unknown>;
    const result = shop.comeBack(visit(request, reply), code);
    if (result === 'done') return reply.redirect('/');
    // The browser may be faster than the callback.
    if (result === 'later') return reply.header('refresh', '1').send('still working');
    return reply.code(403).send('this browser did not begin this login, or it was used before');
  });
  app.post('/callbacks', (request, reply) => {
    try {
      shop.receive(request.body as Buffer, request.headers);
      return reply.code(204).send();
    } catch (error) {
      return reply.code(error instanceof CallbackError ? 401 : 500).send();
    }
  });
  return app;
}
