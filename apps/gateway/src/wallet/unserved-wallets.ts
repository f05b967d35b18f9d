import { createHash } from 'node:crypto';
import { Reflector } from '@nestjs/core';
import {
  MAX_UNSERVED,
  MAX_UNSERVED_MILLISECONDS,
  ReportUnservedIssuances,
  ReportUnservedPresentations,
  type OFFER_NAMES,
} from '@vestibule/contracts';
import type { Logger } from '@vestibule/process';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Ask } from '../ask';
import { headerValues } from '../http/header-values';
import { isId } from '../http/path-segment';
import { declared, type RouteTable } from '../http/routes';
import { Reports } from '../reports';
import type { WalletBody } from './wallet-bodies';

/** What a gateway knows about the flow of a request, without any secret: of a code or a token only its SHA-256. */
export interface NamedFlow {
  readonly by: 'state' | (typeof OFFER_NAMES)[number];
  /** base64url */
  readonly name: string;
}

/** Declares how requests to a route name their flow; undefined if they do not. */
export const NamesFlow = Reflector.createDecorator<(request: FastifyRequest) => NamedFlow | undefined>();

/** Longer than any code or token of this issuer. */
const MOST_SECRET_CHARACTERS = 512;

function digestOf(by: 'code_digest' | 'token_digest', secret: string | undefined): NamedFlow | undefined {
  if (secret === undefined || secret === '' || secret.length > MOST_SECRET_CHARACTERS) return undefined;
  return { by, name: createHash('sha256').update(secret).digest('base64url') };
}

/** By a parameter of the path. */
export const byParameter =
  (parameter: string, by: 'state' | 'offer_id') =>
  ({ params }: FastifyRequest): NamedFlow | undefined => {
    const name = (params as Readonly<Record<string, string | undefined>>)[parameter] ?? '';
    return isId(name) ? { by, name } : undefined;
  };

/** By the pre-authorized code in the form (OpenID4VCI 1.0 §6.1). */
export function byCode({ body }: FastifyRequest): NamedFlow | undefined {
  const read = body as WalletBody | undefined;
  const [, code] = (read?.kind === 'form' && read.entries.find(([name]) => name === 'pre-authorized_code')) || [];
  return digestOf('code_digest', code);
}

const TOKEN = /^DPoP +([^ ]+)$/i;

/** By the access token in the header (RFC 9449 §7.1). */
export function byToken(request: FastifyRequest): NamedFlow | undefined {
  const [authorization = ''] = headerValues(request, 'authorization');
  if (authorization.length > MOST_SECRET_CHARACTERS) return undefined;
  return digestOf('token_digest', TOKEN.exec(authorization)?.[1]);
}

/** About 300 bytes each. */
const MOST_WAITING = 10_000;
const EVERY_MILLISECONDS = 500;
/** Less than the 5 s that a service waits after an outage before it expires flows. */
const AGAIN_MILLISECONDS = [500, 2_000] as const;

export interface UnservedWalletsOptions {
  readonly ask: Ask;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly stopwatch: () => number;
}

interface Unserved extends NamedFlow {
  readonly cameAt: number;
}

/**
 * Reports wallets that received a 5xx to the verifier and the issuer as soon as possible, so that the backend learns of
 * the outage if the flow does not complete. A wallet cannot cause a mark by the content of its request: only a failure
 * of the product does, and only for an open flow that the wallet can name.
 */
export class UnservedWallets {
  readonly #presentations: Reports<Unserved>;
  readonly #issuances: Reports<Unserved>;

  constructor(private readonly options: UnservedWalletsOptions) {
    const { ask } = options;
    this.#presentations = this.#reports(async (wallets) => {
      const flows = wallets.map((wallet) => ({ state: wallet.name, millisecondsAgo: this.#ago(wallet) }));
      await ask(ReportUnservedPresentations, { flows });
    });
    this.#issuances = this.#reports(async (wallets) => {
      const flows = wallets.flatMap(({ by, name, cameAt }) =>
        by === 'state' ? [] : [{ by, name, millisecondsAgo: this.#ago({ cameAt }) }],
      );
      await ask(ReportUnservedIssuances, { flows });
    });
  }

  /** How many flows have not been reported yet. */
  get waiting(): number {
    return this.#presentations.waiting + this.#issuances.waiting;
  }

  /** Records that a wallet could not be served. */
  note(flow: NamedFlow): void {
    this.#of(flow).add(`${flow.by} ${flow.name}`, { ...flow, cameAt: this.options.stopwatch() });
  }

  /** The wallet came back and was served: an unsent report is no longer needed. */
  forget(flow: NamedFlow): void {
    this.#of(flow).remove(`${flow.by} ${flow.name}`);
  }

  /** Call it when no more answers are written, and before the bus closes. */
  async close(): Promise<void> {
    await Promise.all([this.#presentations.close(), this.#issuances.close()]);
  }

  #of({ by }: NamedFlow): Reports<Unserved> {
    return by === 'state' ? this.#presentations : this.#issuances;
  }

  #ago({ cameAt }: Pick<Unserved, 'cameAt'>): number {
    return Math.min(Math.max(0, Math.round(this.options.stopwatch() - cameAt)), MAX_UNSERVED_MILLISECONDS);
  }

  #reports(tell: (wallets: readonly Unserved[]) => Promise<void>): Reports<Unserved> {
    return new Reports({
      tell,
      mostAtOnce: MAX_UNSERVED,
      isWorthwhile: (wallet) => this.#ago(wallet) < MAX_UNSERVED_MILLISECONDS,
      mostWaiting: MOST_WAITING,
      onFull: () =>
        this.options.logger.warn('more wallets cannot be served than are remembered', { most: MOST_WAITING }),
      firstMilliseconds: EVERY_MILLISECONDS,
      everyMilliseconds: EVERY_MILLISECONDS,
      againMilliseconds: AGAIN_MILLISECONDS,
    });
  }
}

const FIRST_FAULT = 500;
const FIRST_REFUSAL = 400;

/** Records 5xx answers of the listener from now on, and drops a record when the wallet was served: a refusal serves nobody. */
export function watchUnservedWallets(instance: FastifyInstance, table: RouteTable, unserved: UnservedWallets): void {
  const namesOf = table.about((route) => declared(NamesFlow, route));
  instance.addHook('onSend', (request, reply, _payload, done) => {
    const isFault = reply.statusCode >= FIRST_FAULT;
    const flow = isFault || unserved.waiting > 0 ? namesOf(request)?.(request) : undefined;
    if (flow && isFault) unserved.note(flow);
    else if (flow && reply.statusCode < FIRST_REFUSAL) unserved.forget(flow);
    done();
  });
}
