import { Controller, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { anId } from './path-segment';
import { IdempotencyKey, JudgedBody, ValidBody, ValidQuery } from './validation';

const schema = z.strictObject({ Name: z.string() });

@Controller()
class TrialController {
  @Post('judged/:id')
  judged(
    @IdempotencyKey() key: object,
    @ValidQuery(schema) query: object,
    @JudgedBody(schema) body: object,
    @Param('id', anId('draft_not_found')) id: string,
  ) {
    return { key, query, body, id };
  }

  @Post('valid')
  valid(@ValidBody(schema) body: object) {
    return body;
  }

  @Post('absent')
  absent(@ValidBody(z.strictObject({ Name: z.string().default('nobody') }), { absent: {} }) body: object) {
    return body;
  }
}

@Module({ controllers: [TrialController] })
class TrialModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await NestFactory.create<NestFastifyApplication>(TrialModule, new FastifyAdapter(), { logger: false });
  app.useGlobalFilters({
    catch(error: { code?: string; faults?: readonly { path: string }[] }, host) {
      const answer = { code: error.code, paths: error.faults?.map(({ path }) => path) };
      void host.switchToHttp().getResponse<{ send(body: object): void }>().send(answer);
    },
  });
  await app.init();
});
afterAll(() => app.close());

const KEY = 'k'.repeat(32);
async function post(url: string, payload: unknown, key = KEY): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return (await app.inject({ method: 'POST', url, headers, payload: JSON.stringify(payload) })).json();
}

describe('the parameters of a method', () => {
  it('are what its pipes make of a request', async () => {
    expect(await post('/judged/an-id?Name=n', { any: 1 })).toEqual({
      key: { idempotencyKey: KEY },
      query: { Name: 'n' },
      body: { any: 1 },
      id: 'an-id',
    });
  });

  it('are judged from the last to the first, and the first fault is the answer', async () => {
    const answers = [
      await post('/judged/%20', 1, 'short'),
      await post('/judged/a', 1, 'short'),
      await post('/judged/a', {}, 'short'),
      await post('/judged/a?Name=n', {}, 'short'),
    ];
    expect(answers).toEqual([
      { code: 'draft_not_found', paths: [] },
      { code: 'invalid_request', paths: ['body'] },
      { code: 'invalid_request', paths: ['Name'] },
      { code: 'invalid_request', paths: ['Idempotency-Key'] },
    ]);
  });

  it.each([
    [{ Name: 1, Other: 2 }, ['Name', 'Other']],
    [[], ['']],
    ['text', ['']],
  ])('a body (%j) that breaks its schema is refused with every fault', async (body, paths) => {
    expect(await post('/valid', body)).toEqual({ code: 'invalid_request', paths });
  });

  it('a body may be left out where the route says what is meant then', async () => {
    expect((await app.inject({ method: 'POST', url: '/absent' })).json()).toEqual({ Name: 'nobody' });
    expect((await app.inject({ method: 'POST', url: '/valid' })).json()).toMatchObject({ code: 'invalid_request' });
  });
});
