import { headers } from '@nats-io/transport-node';
import { currentActor, noteActor, withRequestContext } from '@vestibule/process';
import { createBackoff } from './connect';
import { createClockWatch } from './set-back-clock';
import { readAnswerBy, readRequestContext, writeAnswerBy, writeRequestContext } from './headers';

describe('the delay before reconnecting', () => {
  it('doubles from 100 ms to 2 s and starts again after a success', () => {
    const backoff = createBackoff(() => 1);
    const delays = Array.from({ length: 7 }, () => {
      const delay = backoff.delay();
      backoff.failed();
      return delay;
    });
    expect(delays).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
    backoff.reset();
    expect(backoff.delay()).toBe(100);
  });

  it('stays the same while the client waits: it asks again after each pause', () => {
    const backoff = createBackoff();
    const first = backoff.delay();
    expect([backoff.delay(), backoff.delay()]).toEqual([first, first]);
  });

  it('is random in its upper half', () => {
    expect(createBackoff(() => 0).delay()).toBe(50);
  });
});

describe('a clock that is watched', () => {
  it('was set back if it has lost more than a second since the last look, however fast it goes', () => {
    const now = { clock: 0, stopwatch: 0 };
    const wasSetBack = createClockWatch(
      () => now.clock,
      () => now.stopwatch,
    );
    const passing = (clock: number, stopwatch: number): boolean => {
      now.clock += clock;
      now.stopwatch += stopwatch;
      return wasSetBack();
    };
    expect([passing(10, 10), passing(7_200_000, 10), passing(-3_600_000, 10), passing(10, 10)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect([passing(-900, 10), passing(-900, 10), passing(10, 1_100)]).toEqual([false, false, true]);
  });
});

describe('a message’s headers', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('carry the request’s id and trace from one service to the next', () => {
    const written = withRequestContext({ requestId: 'request-1', traceparent }, () => writeRequestContext(headers()));
    expect(readRequestContext(written)).toEqual({ requestId: 'request-1', traceparent });
  });

  it('carry who makes the request, from the gateway that has noted it to every service after it', () => {
    const written = withRequestContext({ requestId: 'request-1' }, () => {
      noteActor('certificate', 'CN=Böse, O=x y');
      noteActor('key', 'shop');
      noteActor('key', 'shop');
      return writeRequestContext(headers());
    });
    const actor = 'certificate:CN=B%C3%B6se,%20O=x%20y key:shop';
    expect(readRequestContext(written).actor).toBe(actor);
    const next = withRequestContext(readRequestContext(written), () => writeRequestContext(headers()));
    expect(withRequestContext(readRequestContext(next), currentActor)).toBe(actor);
    expect(readRequestContext(withRequestContext({ requestId: 'x' }, () => writeRequestContext(headers()))).actor).toBe(
      undefined,
    );
  });

  it.each([['key:a', 'key:b'], ['key:a\tb'], [''], ['key:a  key:b'], ['a b c d e'], ['x'.repeat(2_401)], ['é']])(
    'name nobody where they are not what a gateway writes (%#)',
    (...actors) => {
      const strange = headers();
      for (const actor of actors) strange.append('actor', actor);
      expect(readRequestContext(strange).actor).toBeUndefined();
    },
  );

  it('carry until when the answer is waited for, and nothing else that looks like it', () => {
    const answerBy = new Date('2026-03-01T12:00:00.123Z');
    const written = writeAnswerBy(writeRequestContext(headers()), answerBy);
    expect(readAnswerBy(written)).toEqual(answerBy);
    for (const text of ['', '-1', '1e12', '2026-03-01', '123', '99999999999999999', '1772366400123x']) {
      written.set('answer-by', text);
      expect(readAnswerBy(written)).toBeUndefined();
    }
    expect(readAnswerBy(headers())).toBeUndefined();
  });

  it('say nothing of the deadline where they say it twice', () => {
    const written = writeAnswerBy(headers(), new Date());
    written.append('answer-by', '1772366400123');
    expect(readAnswerBy(written)).toBeUndefined();
  });

  it('do not pass on how long the question before may take', () => {
    const written = withRequestContext({ requestId: 'request-1', answerBy: new Date() }, () =>
      writeRequestContext(headers()),
    );
    expect(readAnswerBy(written)).toBeUndefined();
  });

  it.each(['\r\nactor: key:root', '\n\r\nPUB x 0\r\n'])('do not let a value add lines (%j)', (more) => {
    const contexts = [{ requestId: `request-1${more}` }, { requestId: 'request-1', actor: `key:a${more}` }];
    for (const context of contexts)
      expect(() => withRequestContext(context, () => writeRequestContext(headers()))).toThrow(/cannot contain/);
  });

  it('get a new id outside of a request', () => {
    expect(readRequestContext(writeRequestContext(headers())).requestId).toMatch(/^[\w-]{22}$/);
  });

  it.each(['short', 'with blank inside', 'x'.repeat(65), 'line\u2028break-123'])(
    'do not bring in a strange id (%#)',
    (id) => {
      const strange = headers();
      strange.set('request-id', id);
      strange.set('traceparent', id);
      const context = readRequestContext(strange);
      expect(context.requestId).toMatch(/^[\w-]{22}$/);
      expect(context.traceparent).toBeUndefined();
    },
  );
});
