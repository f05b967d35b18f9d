import { randomBytes } from 'node:crypto';
import {
  CallbackError,
  createClient,
  crossDeviceResult,
  sameDeviceResult,
  verifyCallback,
  type FulfilledEvent,
  type PresentedCredentialsEvent,
  type VestibuleClient,
} from '@vestibule/client';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AGE, LOGIN, queryFor, type Purpose } from './queries';
import { servePages } from './pages';
import type { Customer, Session } from './session';

export interface ShopOptions {
  /** Where browsers and callbacks reach the shop. */
  readonly url: string;
  /** The management listener of Vestibule. */
  readonly vestibuleUrl: string;
  /** `whsec_…`, to verify callbacks. */
  readonly callbackSecret: string;
  /** The folder of the built package @vestibule/web. */
  readonly webFolder: string;
  /** Milliseconds; default: the clock of this machine. */
  readonly now?: () => number;
}

const REQUEST_SECONDS = 300;
/** A browser that has not come back by then does not come: what was presented for it is rejected (HAIP 1.0 §5.1). */
const FLOW_MILLISECONDS = (REQUEST_SECONDS + 120) * 1000;

/** One request that this shop began, in memory: a real shop uses its database. */
interface Flow {
  readonly purpose: Purpose;
  readonly endsAt: number;
  event?: PresentedCredentialsEvent | undefined;
  isUsed: boolean;
}

/** A request of a browser whose session is known, and the reply to it. */
interface Visit {
  readonly session: Session;
  readonly reply: FastifyReply;
}

const SESSION = /(?:^|; )shop_session=([A-Za-z0-9_-]{43})(?:;|$)/;

class Shop {
  readonly #sessions = new Map<string, Session>();
  readonly #flows = new Map<string, Flow>();
  /** Member numbers by account. */
  readonly #members = new Map<string, string>();
  readonly #vestibule: VestibuleClient;
  readonly #now: () => number;

  constructor(private readonly options: ShopOptions) {
    this.#vestibule = createClient({ baseUrl: options.vestibuleUrl });
    this.#now = options.now ?? Date.now;
  }

  /** The session of this browser, if it has one. */
  sessionOf(request: FastifyRequest): Session | undefined {
    const [, known = ''] = SESSION.exec(request.headers.cookie ?? '') ?? [];
    return this.#sessions.get(known);
  }

  /** The session of this browser; a new one gets a cookie that no script can read and no other site can send along. */
  session(request: FastifyRequest, reply: FastifyReply): Session {
    return this.sessionOf(request) ?? this.#name({ id: '' }, reply);
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

  /**
   * Asks for what the purpose needs, and remembers in this browser's session which request it began. The session gets a new
   * cookie: across devices there is no code, and whoever planted the one before would get the result by asking faster.
   */
  async begin({ session, reply }: Visit, purpose: Purpose) {
    this.#forget();
    this.#withdraw(session.state);
    const created = await this.#vestibule.presentationRequests.create({
      dcql_query: queryFor(purpose),
      redirect_uri: `${this.options.url}/return`,
      callback_url: `${this.options.url}/callbacks`,
      expires_in: REQUEST_SECONDS,
    });
    this.#flows.set(created.state, { purpose, endsAt: this.#now() + FLOW_MILLISECONDS, isUsed: false });
    this.#name(session, reply).state = created.state;
    return { sameDevice: created.same_device_request_uri, crossDevice: created.cross_device_request_uri };
  }

  /** Nobody looks at the QR code any more: whoever has a picture of it finds no request. */
  #withdraw(state = ''): void {
    const flow = this.#flows.get(state);
    this.#flows.delete(state);
    // It may have ended meanwhile.
    if (flow && !flow.event && !flow.isUsed)
      void this.#vestibule.presentationRequests.cancel(state).catch(() => undefined);
  }

  /** Claims that no browser came back for, too. */
  #forget(): void {
    for (const [over, { endsAt }] of this.#flows) if (endsAt <= this.#now()) this.#flows.delete(over);
  }

  /** The flow that this browser began, while it lasts. */
  #flowOf({ state = '' }: Session): Flow | undefined {
    const flow = this.#flows.get(state);
    return flow && flow.endsAt > this.#now() ? flow : undefined;
  }

  /**
   * A callback counts if its signature is valid and it is about a request of this shop: other backends get genuine events,
   * too, of requests that ask for something else. A repetition changes nothing.
   */
  receive(body: Buffer, headers: FastifyRequest['headers']): void {
    const { type, event } = verifyCallback(body, headers, this.options.callbackSecret);
    this.#forget();
    const flow = type === 'presentedCredentials' ? this.#flows.get(event.state) : undefined;
    if (flow && !flow.isUsed && type === 'presentedCredentials') flow.event ??= event;
  }

  /**
   * Uses what was presented, once, and forgets it. Claims of an issuer that is not trusted, or of somebody else's key, are
   * worth nothing.
   */
  #use({ session, reply }: Visit, flow: Flow, { credentials }: FulfilledEvent): boolean {
    const [pid] = credentials['pid'] ?? [];
    if (flow.isUsed || !pid?.isTrusted || !pid.kbSignatureIsValid) return false;
    const { given_name: name, personal_administrative_number: number, age_equal_or_over: ages } = pid.claims;
    if (flow.purpose === LOGIN && (typeof number !== 'string' || number === '')) return false;
    flow.isUsed = true;
    flow.event = undefined;
    if (flow.purpose === AGE) {
      session.isAdult = (ages as Record<string, unknown> | undefined)?.['18'] === true;
      this.#name(session, reply);
      return true;
    }
    const member = this.#memberOf(JSON.stringify([pid.issuer, number]));
    // Somebody else may have used this browser before: what was proved then is not said of this customer.
    this.#cancelOffer(session);
    this.#sessions.delete(session.id);
    this.#name(
      { id: '', ...(session.state ? { state: session.state } : {}), user: { name: String(name), member } },
      reply,
    );
    return true;
  }

  #memberOf(account: string): string {
    const member = this.#members.get(account) ?? `M-${randomBytes(6).toString('hex')}`;
    this.#members.set(account, member);
    return member;
  }

  /**
   * What the page of this browser waits for. Cross-device: there is no response code, and the session that began the flow
   * gets the result. Same-device: it counts only when the browser comes back with the code, see {@link comeBack}.
   */
  status(visit: Visit): { readonly status: string } {
    const { session } = visit;
    const flow = this.#flowOf(session);
    if (!flow) return { status: session.state === undefined ? 'none' : 'EXPIRED' };
    if (flow.isUsed) return { status: 'done' };
    const { event } = flow;
    const presented = crossDeviceResult(event);
    if (presented) return { status: this.#use(visit, flow, presented) ? 'done' : 'refused' };
    return { status: !event || event.status === 'FULFILLED' ? 'pending' : event.status };
  }

  /** The browser comes back from the wallet: the code must be that of the flow that this very browser began. */
  comeBack(visit: Visit, code: unknown): 'done' | 'later' | 'refused' {
    const flow = this.#flowOf(visit.session);
    if (!flow || flow.isUsed || typeof code !== 'string') return 'refused';
    if (!flow.event) return 'later';
    const presented = sameDeviceResult(flow.event, code);
    return presented && this.#use(visit, flow, presented) ? 'done' : 'refused';
  }

  /** Offers the loyalty card; the code goes another way than the link, here as a letter on the page. */
  async offerCard(session: Session, { member }: Customer) {
    this.#cancelOffer(session);
    const offer = await this.#vestibule.offers.create({
      credential_configuration_id: 'loyalty-card',
      claims: { member, level: session.isAdult ? 'gold' : 'silver' },
      tx_code: { input_mode: 'numeric', length: 6 },
      callback_url: `${this.options.url}/callbacks`,
    });
    session.offerId = offer.offer_id;
    return { offer: offer.credential_offer_uri, code: offer.tx_code_value };
  }

  /** Whoever has a picture of the last offer finds none. It may have ended: then nothing changes. */
  #cancelOffer({ offerId }: Session): void {
    if (offerId !== undefined) void this.#vestibule.offers.cancel(offerId).catch(() => undefined);
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
  const visit = (request: FastifyRequest, reply: FastifyReply) => ({
    session: shop.sessionOf(request) ?? { id: '' },
    reply,
  });
  app.post('/login', (request, reply) => shop.begin(visit(request, reply), LOGIN));
  app.post('/age', (request, reply) => shop.begin(visit(request, reply), AGE));
  app.post('/card', async (request, reply) => {
    const session = shop.sessionOf(request);
    return session?.user === undefined ? reply.code(403).send() : shop.offerCard(session, session.user);
  });
  // A cookie that was replaced a moment ago gets no new session: that would take the place of the one of this browser.
  app.get('/status', (request, reply) => {
    const session = shop.sessionOf(request);
    return session ? reply.send(shop.status({ session, reply })) : reply.code(401).send({});
  });
  app.get('/card-status', async (request, reply) => {
    const session = shop.sessionOf(request);
    return session ? shop.cardStatus(session) : reply.code(401).send({});
  });
  app.get('/return', (request, reply) => {
    const session = shop.sessionOf(request);
    const { response_code: code } = request.query as Record<string, unknown>;
    const result = session ? shop.comeBack({ session, reply }, code) : 'refused';
    // The code is worth nothing any more; the redirect takes it out of the address.
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
