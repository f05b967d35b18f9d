import { Controller, Module, Param, Post, type PipeTransform } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { anId } from './path-segment';
import { PipesAtOnce } from './prompt-pipes';
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

/** Awaits, as far as Nest knows. */
class OrdinaryPipe implements PipeTransform<string, string> {
  transform(segment: string): string {
    return anId('draft_not_found').transform(segment);
  }
}

@Controller('prompt')
@PipesAtOnce()
class PromptController {
  @Post('judged/:id')
  judged(
    @IdempotencyKey() key: object,
    @ValidQuery(schema) query: object,
    @JudgedBody(schema) body: object,
    @Param('id', anId('draft_not_found')) id: string,
  ) {
    return { key, query, body, id };
  }

  @Post('mixed/:id')
  mixed(
    @IdempotencyKey() key: object,
    @ValidQuery(schema) query: object,
    @JudgedBody(schema) body: object,
    @Param('id', OrdinaryPipe) id: string,
  ) {
    return { key, query, body, id };
  }
}

@Module({ controllers: [TrialController, PromptController] })
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

const ROUTES = ['/judged', '/prompt/judged', '/prompt/mixed'];

describe('the parameters of a method', () => {
  it.each(ROUTES)('of %s are what its pipes make of a request', async (route) => {
    expect(await post(`${route}/an-id?Name=n`, { any: 1 })).toEqual({
      key: { idempotencyKey: KEY },
      query: { Name: 'n' },
      body: { any: 1 },
      id: 'an-id',
    });
  });

  it('are read without a promise where all pipes are prompt', () => {
    const pipesOf = (name: string) =>
      Object.values(Reflect.getMetadata(ROUTE_ARGS_METADATA, PromptController, name) as object).flatMap(
        ({ pipes }: { readonly pipes: unknown[] }) => pipes,
      );
    expect([pipesOf('judged').length, pipesOf('mixed').length]).toEqual([0, 4]);
  });

  it.each(ROUTES)('of %s are judged from the last to the first, and the first fault is the answer', async (route) => {
    const answers = [
      await post(`${route}/%20`, 1, 'short'),
      await post(`${route}/a`, 1, 'short'),
      await post(`${route}/a`, {}, 'short'),
      await post(`${route}/a?Name=n`, {}, 'short'),
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
    [[], ['body']],
    ['text', ['body']],
  ])('a body (%j) that breaks its schema is refused with every fault', async (body, paths) => {
    expect(await post('/valid', body)).toEqual({ code: 'invalid_request', paths });
  });

  it('a body may be left out where the route says what is meant then', async () => {
    expect((await app.inject({ method: 'POST', url: '/absent' })).json()).toEqual({ Name: 'nobody' });
    expect((await app.inject({ method: 'POST', url: '/valid' })).json()).toMatchObject({ code: 'invalid_request' });
  });
});
