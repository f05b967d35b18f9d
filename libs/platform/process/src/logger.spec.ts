import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { describeError } from './describe-error';
import { createLogger } from './logger';
import { createNestLogger } from './nest-logger';
import {
  acceptRequestId,
  acceptTraceparent,
  createRequestId,
  noteSubject,
  subjectHash,
  withRequestContext,
  withRequestId,
} from './request-context';

const CANARY = 'canary-claim';

function stage(level: 'debug' | 'warn' = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: createLogger({ name: 'verifier', level, destination: { write } }) };
}

describe('a log line', () => {
  it('holds level, time, service, message, fields and the request’s id', () => {
    const { lines, logger } = stage();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    withRequestContext({ requestId: 'request-1', traceparent }, () => logger.info('something happened', { count: 3 }));
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        service: 'verifier',
        requestId: 'request-1',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        count: 3,
        msg: 'something happened',
      },
    ]);
  });

  it('names the flow by a hash from the moment it is known, each request its own', async () => {
    const { lines, logger } = stage();
    const state = 'V0sQ3MKx3TGWlHwBLgXgAw';
    const request = (requestId: string, id: string) =>
      withRequestContext({ requestId }, async () => {
        logger.info('before');
        await Promise.resolve();
        noteSubject(id);
        await Promise.resolve();
        logger.info('after');
      });
    await Promise.all([request('request-1', state), request('request-2', 'other')]);
    noteSubject('nobody asks');
    logger.info('outside');
    const hashes = lines.map(({ msg, subjectHash: hash }) => [msg, hash]);
    expect(hashes.filter(([msg]) => msg === 'after')).toEqual([
      ['after', subjectHash(state)],
      ['after', subjectHash('other')],
    ]);
    expect(hashes.filter(([msg]) => msg !== 'after').map(([, hash]) => hash)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(subjectHash(state)).toMatch(/^[\w-]{12}$/);
    expect(JSON.stringify(lines)).not.toContain(state);
  });

  it('is written from its level on', () => {
    const { lines, logger } = stage('warn');
    logger.debug('no');
    logger.info('no');
    logger.warn('yes');
    expect(lines.map(({ msg }) => msg)).toEqual(['yes']);
  });

  it('prints no object, whatever it holds', () => {
    const { lines, logger } = stage();
    logger.info('careless', { claims: { name: CANARY }, list: [CANARY], call: () => CANARY, nothing: null });
    expect(lines[0]).toMatchObject({ claims: '[object]', list: '[object]', call: '[function]', nothing: null });
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });

  it('prints of a foreign error only name, code and stack frames', () => {
    const { lines, logger } = stage();
    const error = Object.assign(new TypeError(`bad ${CANARY}\n    ${CANARY}`, { cause: CANARY }), {
      code: 'ERR_JWT_EXPIRED',
      payload: { name: CANARY },
      detail: CANARY,
      where: CANARY,
      parameters: [CANARY],
    });
    logger.error('failed', { error, other: error });
    expect(lines[0]?.['error']).toMatchObject({ name: 'TypeError', code: 'ERR_JWT_EXPIRED' });
    expect((lines[0]?.['error'] as { stack: string }).stack).toMatch(/^\s+at /);
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });

  it('prints no line of a message that looks like a stack frame', () => {
    const ofParser = (text: string) => {
      try {
        return JSON.parse(text) as never;
      } catch (error) {
        return error;
      }
    };
    const quoted = '\n    at canary';
    const found = [new Error(`bad${quoted}`), new Error(quoted), ofParser(`{"a":${quoted}`)];
    const { lines, logger } = stage();
    for (const error of found) logger.error('failed', { error });
    expect(found.every((error) => (error as Error).message.includes(quoted))).toBe(true);
    expect(lines.map(({ error }) => (error as { stack: string }).stack)).toEqual(
      found.map(() => expect.stringMatching(/^ {4}at /)),
    );
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('prints no frames where the message was changed: the stack has it as it was', () => {
    const error = new Error('bad\n    at canary');
    expect(String(error.stack)).toContain('canary');
    error.message = `again: ${error.message}`;
    expect(describeError(error)).toEqual({ name: 'Error' });
  });

  it.each(['bad', ''])('prints no line of a message that was shortened afterwards to %j', (message) => {
    const lines = ['canary', 'canary (of somebody)', 'canary:1:2', 'async canary 3'].map((text) => `\n    at ${text}`);
    const error = new Error(`bad${lines.join('')}`);
    expect(String(error.stack)).toContain('canary');
    error.message = message;
    const { stack = '' } = describeError(error);
    expect(stack).not.toContain('canary');
    expect(stack).toMatch(/^ {4}at .*logger\.spec\.ts:\d+:\d+\)?\n/);
  });

  it('prints frames of native functions, of promises and of files whose path has blanks', () => {
    const frames = [
      '    at JSON.parse (<anonymous>)',
      '    at async Promise.all (index 0)',
      '    at async C:\\our apps\\main.js:12:5',
      '    at new <anonymous> (/our apps/main.js:12:5)',
      '    at processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '    at file:///app/main.mjs:1:2',
    ].join('\n');
    expect(describeError(Object.assign(new Error('bad'), { stack: `Error: bad\n${frames}` }))).toEqual({
      name: 'Error',
      stack: frames,
    });
  });

  it('prints the detail of our own errors, but not their cause', () => {
    const error = new DomainError({
      kind: 'invalid',
      code: 'invalid_grant',
      detail: 'the detail',
      cause: new Error(CANARY),
    });
    expect(describeError(error)).toMatchObject({ name: 'DomainError', code: 'invalid_grant', detail: 'the detail' });
    const { lines, logger } = stage();
    logger.error('failed', { error });
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });

  it('prints of what is behind one of our errors its code, or else its name: it says what to repair', () => {
    const behind = (cause: unknown) =>
      describeError(new ProcessingFailure('database_unavailable', 'the database is unavailable', cause));
    const refused = Object.assign(new Error(CANARY), { code: '28P01', detail: CANARY, severity: CANARY });
    expect(behind(refused)).toMatchObject({ code: 'database_unavailable', cause: '28P01' });
    expect(behind(new TypeError(CANARY))).toMatchObject({ cause: 'TypeError' });
    expect(behind(Object.assign(new Error(CANARY), { code: `${CANARY} is odd` }))).toMatchObject({ cause: 'Error' });
    for (const cause of [undefined, CANARY, { code: CANARY }]) expect(behind(cause)).not.toHaveProperty('cause');
    expect(JSON.stringify(behind(refused))).not.toContain(CANARY);
  });

  it('prints the code of an alert of TLS as later versions of OpenSSL write it, and no other path', () => {
    const codeOf = (code: string) => describeError(Object.assign(new Error('x'), { code })).code;
    const alert = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE';
    expect(codeOf(alert)).toBe(alert);
    for (const text of [`/${CANARY}`, `a/${CANARY}`, `${alert}/${CANARY}`, `ERR_SSL_SSL/${CANARY} x`])
      expect(codeOf(text)).toBeUndefined();
  });

  it('prints of a thrown value only its type, and no name or code that is not a word', () => {
    expect(describeError(CANARY)).toEqual({ name: 'thrown string' });
    const odd = Object.assign(new Error('x'), { name: `${CANARY} with blanks`, code: 42 });
    expect(describeError(odd)).toMatchObject({ name: 'Error' });
    expect(describeError(odd)).not.toHaveProperty('code');
  });
});

describe('Nest’s lines', () => {
  it('are written with their context', () => {
    const { lines, logger } = stage();
    createNestLogger(logger).log('Nest microservice successfully started', 'NestMicroservice');
    expect(lines).toMatchObject([
      { level: 'info', msg: 'Nest microservice successfully started', context: 'NestMicroservice' },
    ]);
  });

  it('about errors hold neither message nor members', () => {
    const { lines, logger } = stage();
    const nest = createNestLogger(logger);
    nest.error(new Error(CANARY));
    nest.error({ claim: CANARY }, 'ExceptionsHandler');
    nest.error('text', `Error: ${CANARY}\n    at somewhere`);
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });
});

describe('a request id', () => {
  it('has 128 random bits and is harmless in a log', () => {
    expect(createRequestId()).toMatch(/^[\w-]{22}$/);
    expect(createRequestId()).not.toBe(createRequestId());
    expect(acceptRequestId(createRequestId())).toBeDefined();
  });

  it('of a stranger is taken only when it is 8 to 64 harmless characters', () => {
    expect(acceptRequestId('abc.DEF-1_2')).toBe('abc.DEF-1_2');
    for (const text of [undefined, '', 'short', 'a'.repeat(65), 'with blank', 'new\nline12', 'quote"1234'])
      expect(acceptRequestId(text)).toBeUndefined();
  });

  it('is that of the innermost request, also after waiting', async () => {
    const { lines, logger } = stage();
    await withRequestId('outer-request', async () => {
      await Promise.resolve();
      withRequestId('inner-request', () => logger.info('inside'));
      logger.info('outside');
    });
    expect(lines.map(({ requestId }) => requestId)).toEqual(['inner-request', 'outer-request']);
  });

  it('comes with a traceparent only when that is well-formed', () => {
    expect(acceptTraceparent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')).toBeDefined();
    for (const text of [undefined, '', '00-xyz', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n'])
      expect(acceptTraceparent(text)).toBeUndefined();
  });
});
