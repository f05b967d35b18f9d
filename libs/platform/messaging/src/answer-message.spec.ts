import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { createLogger, currentAnswerBy, DEADLINE_PASSED } from '@vestibule/process';
import { z } from 'zod';
import { parseQuestion } from './answer';
import { answerMessage } from './answer-message';
import { Answers, contractOf, type AnsweredContract } from './answers';
import { UNDERSTOOD } from './contract-version';
import { writeAnswerBy } from './headers';
import { readReply, writeReply } from './packet';
import { Refusals } from './refusals';

const Double = contract(
  'verifier.number.double',
  z.strictObject({ value: z.number() }),
  z.object({ doubled: z.number() }),
);
const CANARY = 'canary-value';
const NOW = new Date('2026-03-01T12:00:00.000Z');

function stage() {
  const lines: string[] = [];
  const logger = createLogger({ name: 'test', level: 'debug', destination: { write: (line) => lines.push(line) } });
  return { lines, logger };
}

describe('a message that comes late, or without a deadline that can be believed', () => {
  function lateness(answerBy: number | undefined, spoil: (written: MsgHdrs) => void = () => undefined) {
    const { lines, logger } = stage();
    const written = headers();
    if (answerBy !== undefined) writeAnswerBy(written, new Date(NOW.getTime() + answerBy));
    spoil(written);
    const handle = jest.fn(async () => ({ doubled: currentAnswerBy()?.getTime() }));
    Answers(Double)(class {}.prototype, 'run', { value: () => ({ doubled: 1 }), configurable: true });
    const contract = contractOf({ contract: Double }) as AnsweredContract;
    const data = Buffer.from('{ this is not even JSON');
    const answering = { contract, handle, refusals: new Refusals(logger), clock: () => NOW, versions: UNDERSTOOD };
    return { lines, handle, reply: answerMessage(answering, { data, headers: written }) };
  }

  it('is not worked on when nobody can be waiting: no handler, no JSON, no answer, one line', async () => {
    const { handle, lines, reply } = lateness(-2_001);
    await expect(reply).resolves.toBeUndefined();
    expect(handle).not.toHaveBeenCalled();
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['warn']);
  });

  const untouched = (): void => undefined;
  it.each<[string, number | undefined, number, (written: MsgHdrs) => void]>([
    ['that somebody with another clock may still wait for', -2_000, -2_000, untouched],
    ['in time', 5_000, 5_000, untouched],
    ['by a clock that is 2 s ahead', 17_000, 15_000, untouched],
    ['with a deadline that nobody may have', 3_600_000, 15_000, untouched],
    ['without a deadline', undefined, 15_000, untouched],
    ['with two deadlines', 5_000, 15_000, (written) => written.append('answer-by', '1')],
    ['with a deadline that is no number', undefined, 15_000, (written) => written.set('answer-by', 'never')],
    ['with a negative one', undefined, 15_000, (written) => written.set('answer-by', '-1772366400123')],
    ['with one beyond all dates', undefined, 15_000, (written) => written.set('answer-by', '9'.repeat(30))],
  ])('is worked on %s, until then', async (_what, answerBy, until, spoil) => {
    const { handle, reply } = lateness(answerBy, spoil);
    await expect(reply).resolves.toEqual({ ok: true, answer: { doubled: NOW.getTime() + until } });
    expect(handle).toHaveBeenCalledTimes(1);
  });
});

describe('a use case that finds that it is too late', () => {
  it('is not answered, whatever else it would have said', async () => {
    const { lines, logger } = stage();
    Answers(Double)(class {}.prototype, 'run', { value: () => ({ doubled: 1 }), configurable: true });
    const contract = contractOf({ contract: Double }) as AnsweredContract;
    const handle = (): Promise<never> => {
      const reason = DEADLINE_PASSED;
      throw new DomainError({ kind: 'unavailable', code: 'service_timeout', detail: 'too late', reason });
    };
    const answering = { contract, handle, refusals: new Refusals(logger), clock: () => NOW, versions: UNDERSTOOD };
    const message = { data: Buffer.from('{"data":{}}'), headers: headers() };
    await expect(answerMessage(answering, message)).resolves.toBeUndefined();
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['warn']);
  });
});

describe('a message of the version before', () => {
  it('is answered, in a form that it understands', async () => {
    const { logger } = stage();
    Answers(Double)(class {}.prototype, 'run', { value: () => ({ doubled: 1 }), configurable: true });
    const contract = contractOf({ contract: Double }) as AnsweredContract;
    const handle = async (question: unknown) => ({ doubled: parseQuestion(Double, question).value * 2 });
    const packet = { pattern: Double.subject, data: { value: 2 }, id: 'x' };
    const answering = { contract, handle, refusals: new Refusals(logger), clock: () => NOW, versions: UNDERSTOOD };
    const reply = await answerMessage(answering, { data: Buffer.from(JSON.stringify(packet)), headers: headers() });
    if (!reply) throw new Error('no answer');
    expect(JSON.parse(Buffer.from(writeReply(reply, 1)).toString())).toEqual({
      version: 1,
      response: { ok: true, answer: { doubled: 4 } },
    });
    const before = { response: reply, isDisposed: true, id: 'x' };
    expect(readReply(Buffer.from(JSON.stringify(before)))).toEqual({ reply, version: undefined });
  });
});

describe('bytes that are no question', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from(`{"data": ${CANARY}`)],
    ['no object', Buffer.from('"data"')],
    ['null', Buffer.from('null')],
    ['another member', Buffer.from(`{"response":{"value":1}}`)],
    ['not UTF-8', Buffer.concat([Buffer.from('{"data":{"value":1,"x":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}}')])],
    ['a byte order mark', Buffer.from('\ufeff{"data":{"value":1}}')],
    ['one that inherits its data', Buffer.from('{"__proto__":{"data":{"value":1}}}')],
  ])('are invalid_message: %s', async (_what, data) => {
    const { lines, logger } = stage();
    Answers(Double)(class {}.prototype, 'run', { value: () => ({ doubled: 1 }), configurable: true });
    const contract = contractOf({ contract: Double }) as AnsweredContract;
    const handle = async (question: unknown) => ({ doubled: parseQuestion(Double, question).value });
    const answering = { contract, handle, refusals: new Refusals(logger), clock: () => NOW, versions: UNDERSTOOD };
    const reply = await answerMessage(answering, { data, headers: headers() });
    expect(reply).toMatchObject({ ok: false, error: { code: 'invalid_message' } });
    expect(JSON.stringify([reply, lines])).not.toContain(CANARY);
  });
});
