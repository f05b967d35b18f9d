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

/** What a gateway knows of the flow of a request, without what opens anything: of a code or a token only its SHA-256. */
export interface NamedFlow {
  readonly by: 'state' | (typeof OFFER_NAMES)[number];
  /** base64url */
  readonly name: string;
}

/** Says of a route how a request names its flow; undefined where it names none. */
export const NamesFlow = Reflector.createDecorator<(request: FastifyRequest) => NamedFlow | undefined>();

/** Longer than any code or token of ours. */
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

/** Some 300 bytes each. */
const MOST_WAITING = 10_000;
const EVERY_MILLISECONDS = 500;
/** A service waits 5 s after an outage before it ends what is over. */
const AGAIN_MILLISECONDS = [500, 2_000] as const;

export interface UnservedWalletsOptions {
  readonly ask: Ask;
  readonly logger: Logger;
  /** Milliseconds that only grow. */
  readonly stopwatch: () => number;
}

interface Unserved extends NamedFlow {
  readonly cameAt: number;
}

/**
 * Wallets that came and were answered with 5xx. Verifier and issuer are told as soon as they can be, so that the backend
 * learns of the outage where nothing comes of the flow. A wallet cannot make a mark by what it says: only our own failure
 * makes one, and only for a flow that the wallet can name and that is open.
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

  /** How many flows no service was told of yet. */
  get waiting(): number {
    return this.#presentations.waiting + this.#issuances.waiting;
  }

  /** A wallet came, and could not be served. */
  note(flow: NamedFlow): void {
    this.#of(flow).add(`${flow.by} ${flow.name}`, { ...flow, cameAt: this.options.stopwatch() });
  }

  /** A wallet came again and was answered: what has not been told need not be. */
  forget(flow: NamedFlow): void {
    this.#of(flow).remove(`${flow.by} ${flow.name}`);
  }

  /** To be called when no more answers are written, and while there is a bus. */
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

/** From now on what the listener answers with 5xx is noted, and what it answers otherwise forgotten. */
export function watchUnservedWallets(instance: FastifyInstance, table: RouteTable, unserved: UnservedWallets): void {
  const namesOf = table.about((route) => declared(NamesFlow, route));
  instance.addHook('onSend', (request, reply, _payload, done) => {
    const isFault = reply.statusCode >= FIRST_FAULT;
    const flow = isFault || unserved.waiting > 0 ? namesOf(request)?.(request) : undefined;
    if (flow && isFault) unserved.note(flow);
    else if (flow) unserved.forget(flow);
    done();
  });
}
