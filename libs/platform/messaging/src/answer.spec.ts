/** @jest-environment ./tools/jest-context-environment.cjs */
import { headers } from '@nats-io/transport-node';
import { contract, type Contract } from '@vestibule/contracts';
import { ApiError, DomainError, type RefusalCode } from '@vestibule/foundation';
import {
  createLogger,
  currentRequestId,
  type Logger,
  type RequestContext,
  withRequestContext,
} from '@vestibule/process';
import { z } from 'zod';
import { parseQuestion } from './answer';
import { answerMessage } from './answer-message';
import { UNDERSTOOD } from './contract-version';
import { Answers, contractOf, type AnsweredContract } from './answers';
import { writeRequestContext } from './headers';
import { writeQuestion } from './packet';
import { Refusals } from './refusals';

const Double = contract(
  'verifier.number.double',
  z.strictObject({ value: z.number() }),
  z.object({ doubled: z.number() }),
);
const context = { requestId: 'request-1' };
const CANARY = 'canary-value';
const NOW = new Date('2026-03-01T12:00:00.000Z');

/** What the transport makes of one message, without Nest's pipeline between it and the method. */
function answer<Q, A>(asked: Contract<Q, A>, handler: (question: Q) => Promise<A> | A, logger: Logger) {
  Answers(asked)(class {}.prototype, 'run', { value: handler, configurable: true });
  const refusals = new Refusals(logger);
  const handle = async (question: unknown) => handler(parseQuestion(asked, question));
  const contract = contractOf({ contract: asked }) as AnsweredContract;
  return (payload: unknown, { requestId }: RequestContext): Promise<unknown> => {
    const written = withRequestContext({ requestId }, () => writeRequestContext(headers()));
    const message = { data: writeQuestion(payload), headers: written };
    return answerMessage({ contract, handle, refusals, clock: () => NOW, versions: UNDERSTOOD }, message);
  };
}

function stage() {
  const lines: string[] = [];
  const logger = createLogger({ name: 'test', level: 'debug', destination: { write: (line) => lines.push(line) } });
  return { lines, logger };
}

describe('answering a message', () => {
  it('gives the handler’s answer, without members that the contract does not know', async () => {
    const reply = answer(Double, ({ value }) => ({ doubled: value * 2, internal: CANARY }), stage().logger);
    await expect(reply({ value: 21 }, context)).resolves.toEqual({ ok: true, answer: { doubled: 42 } });
  });

  it('runs the handler within the request’s context', async () => {
    let seen: string | undefined;
    const handler = async ({ value }: { value: number }) => {
      await Promise.resolve();
      seen = currentRequestId();
      return { doubled: value };
    };
    await answer(Double, handler, stage().logger)({ value: 1 }, context);
    expect(seen).toBe('request-1');
  });

  it.each([undefined, null, 'text', [], {}, { value: CANARY }, { value: 1, extra: 1 }])(
    'refuses a question that breaks the contract, and runs nothing (%#)',
    async (payload) => {
      const { lines, logger } = stage();
      const handler = jest.fn(() => ({ doubled: 1 }));
      const reply = await answer(Double, handler, logger)(payload, context);
      expect(reply).toMatchObject({ ok: false, error: { kind: 'invalid', code: 'invalid_message' } });
      expect(handler).not.toHaveBeenCalled();
      expect(JSON.stringify([reply, lines])).not.toContain(CANARY);
    },
  );

  it('passes on an error of ours with its kind, code, detail and faults, but not its cause', async () => {
    const failing = (): never => {
      throw new ApiError({
        kind: 'not_found',
        code: 'offer_not_found',
        detail: 'no such offer',
        faults: [{ path: 'offer_id', message: 'is unknown' }],
        cause: new Error(CANARY),
      });
    };
    const { lines, logger } = stage();
    const reply = await answer(Double, failing, logger)({ value: 1 }, context);
    expect(reply).toEqual({
      ok: false,
      error: {
        kind: 'not_found',
        code: 'offer_not_found',
        detail: 'no such offer',
        faults: [{ path: 'offer_id', message: 'is unknown' }],
      },
    });
    expect(lines.join()).not.toContain(CANARY);
  });

  it('masks any other error, and logs its name, code and stack without its message and members', async () => {
    const failing = (): Promise<never> =>
      Promise.reject(Object.assign(new TypeError(CANARY), { code: 'ERR_X', payload: CANARY, cause: CANARY }));
    const { lines, logger } = stage();
    const reply = await answer(Double, failing, logger)({ value: 1 }, context);
    expect(reply).toMatchObject({
      ok: false,
      error: { kind: 'internal', code: 'internal_error', detail: 'internal error' },
    });
    const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(line).toMatchObject({ level: 'error', requestId: 'request-1', subject: 'verifier.number.double' });
    expect(line?.['error']).toMatchObject({ name: 'TypeError', code: 'ERR_X' });
    expect(lines.join()).not.toContain(CANARY);
  });

  it('refuses to send an answer that breaks the contract', async () => {
    const { lines, logger } = stage();
    const wrong = (() => ({ doubled: CANARY })) as unknown as () => { doubled: number };
    const reply = await answer(Double, wrong, logger)({ value: 1 }, context);
    expect(reply).toMatchObject({ ok: false, error: { kind: 'internal', code: 'invalid_answer' } });
    expect(lines.join()).toContain('doubled');
    expect(lines.join()).not.toContain(CANARY);
  });

  it('says at info which check refused a wallet, and nothing else of the request', async () => {
    const failing = (): never => {
      throw new DomainError({
        kind: 'unauthenticated',
        code: 'invalid_dpop_proof',
        detail: 'the DPoP proof is invalid',
        reason: 'htu_mismatch',
        cause: new Error(CANARY),
      });
    };
    const { lines, logger } = stage();
    const reply = await answer(Double, failing, logger)({ value: 1 }, context);
    expect(JSON.stringify(reply)).not.toContain('htu_mismatch');
    expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        level: 'info',
        time: expect.any(String) as string,
        service: 'test',
        requestId: 'request-1',
        subject: 'verifier.number.double',
        code: 'invalid_dpop_proof',
        reason: 'htu_mismatch',
        msg: 'a request was refused',
      },
    ]);
  });

  it('writes no sentence in the place of a reason', async () => {
    const failing = (): never => {
      const reason = `wrong: ${CANARY}` as RefusalCode;
      throw new DomainError({ kind: 'invalid', code: 'invalid_request', detail: 'x', reason });
    };
    const { lines, logger } = stage();
    await answer(Double, failing, logger)({ value: 1 }, context);
    expect(lines.join()).toContain('"reason":"unnamed"');
    expect(lines.join()).not.toContain(CANARY);
  });

  it('bounds the lines that a stranger can provoke, and counts those that are left out', async () => {
    jest.useFakeTimers();
    try {
      const failing = (): never => {
        throw new DomainError({ kind: 'invalid', code: 'invalid_grant', detail: 'x', reason: 'code_not_open' });
      };
      const { lines, logger } = stage();
      const reply = answer(Double, failing, logger);
      for (let count = 0; count < 200; count += 1) await reply({ value: 1 }, context);
      expect(lines).toHaveLength(20);
      jest.advanceTimersByTime(1_000);
      expect(JSON.parse(lines[20] ?? '{}')).toMatchObject({
        level: 'info',
        msg: 'log lines about refusals were omitted',
        code: 'invalid_grant',
        leftOut: 180,
      });
      expect(lines).toHaveLength(21);
    } finally {
      jest.useRealTimers();
    }
  });

  it('logs refusals quietly and failures loudly', async () => {
    const levelOf = async (kind: 'invalid' | 'unavailable' | 'internal'): Promise<unknown> => {
      const { lines, logger } = stage();
      const failing = (): never => {
        throw new DomainError({ kind, code: 'seal_broken', detail: 'some detail' });
      };
      await answer(Double, failing, logger)({ value: 1 }, context);
      return (JSON.parse(lines[0] ?? '{}') as { level?: unknown }).level;
    };
    await expect(levelOf('invalid')).resolves.toBe('debug');
    await expect(levelOf('unavailable')).resolves.toBe('warn');
    await expect(levelOf('internal')).resolves.toBe('error');
  });
});

describe('the binding of a method to a contract', () => {
  it('compiles for a method that takes and returns what the contract says, and for no other', () => {
    const bind = Answers(Double);
    const right = { value: ({ value }: { value: number }) => Promise.resolve({ doubled: value, more: true }) };
    const none = { value: () => ({ doubled: 0 }) };
    const wrongQuestion = { value: ({ text }: { text: string }) => ({ doubled: text.length }) };
    const wrongAnswer = { value: ({ value }: { value: number }) => ({ halved: value }) };
    bind(class {}.prototype, 'right', right);
    bind(class {}.prototype, 'none', none);
    // @ts-expect-error -- the contract has no text
    bind(class {}.prototype, 'wrongQuestion', wrongQuestion);
    // @ts-expect-error -- the contract wants doubled
    bind(class {}.prototype, 'wrongAnswer', wrongAnswer);
    expect(contractOf({ contract: Double })).toBe(Double);
  });

  it('is known only of contracts that a method answers', () => {
    const other = contract('verifier.number.halve', z.number(), z.number());
    expect([
      contractOf(undefined),
      contractOf({}),
      contractOf({ contract: other }),
      contractOf({ contract: 'x' }),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });
});
