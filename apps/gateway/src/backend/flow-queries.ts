import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { inAnyCase } from '@vestibule/contracts';
import { z } from 'zod';
import { pageQuery, type ListName } from '../http/page-query';
import type { Retirement } from '../http/retirement';

/** What times of lists may be: flows are never older, and Postgres and RFC 3339 know all of these. */
const TIMES = [0, Date.UTC(9999, 11, 31)] as const;

const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be a timestamp of RFC 3339, such as 2026-03-01T12:00:00Z' })
    .transform((text) => new Date(Math.min(Math.max(Date.parse(text), TIMES[0]), TIMES[1])).toISOString())
    .optional()
    .meta({ description, type: 'string', format: 'date-time' });

/** The query of a list of requests or offers. */
export const flowListQuery = <const Statuses extends readonly [string, ...string[]]>(
  list: ListName,
  statuses: Statuses,
) =>
  z.strictObject({
    status: inAnyCase(statuses, 'Only those with this status; in upper or lower case').optional(),
    created_from: time('Only those created at this time or later'),
    created_before: time('Only those created before this time'),
    ...pageQuery(list),
  });

const MAX_WAIT_SECONDS = 30;

/** The query of a single request or offer. */
export const waitQuery = z.strictObject({
  wait: z
    .string()
    .regex(/^(?:[12]?\d|30)$/, `must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}`)
    .transform(Number)
    .default(0)
    .meta({
      type: 'integer',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: 'While it is open, the response is held back until it ends, at most for this many seconds',
    }),
});

/** The question to a service for a page of its list. */
export function questionOf<Status>(query: {
  readonly status?: Status | undefined;
  readonly created_from?: string | undefined;
  readonly created_before?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}) {
  const { created_from: createdFrom, created_before: createdBefore, ...rest } = query;
  return { ...rest, createdFrom, createdBefore };
}

const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

interface Waiting<View> {
  readonly seconds: number;
  readonly isOpen: (view: View) => boolean;
  readonly request: FastifyRequest;
  readonly retirement: Retirement;
}

/**
 * Looks until the request or offer has ended, for the given time; earlier only if the caller has gone or the gateway
 * shuts down. Returns what it saw last; throws what a look throws.
 */
export async function whenEnded<View>(look: () => Promise<View>, waiting: Waiting<View>): Promise<View> {
  const { seconds, isOpen, request, retirement } = waiting;
  const deadline = performance.now() + seconds * 1000;
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS)) {
    const view = await look();
    const left = deadline - performance.now();
    if (left <= 0 || !isOpen(view) || retirement.isRetired || request.raw.socket.destroyed) return view;
    await sleep(Math.min(pause, left));
  }
}
