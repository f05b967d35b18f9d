import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type CanActivate, Controller, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiError } from '@vestibule/foundation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EarlyGuard, guardEveryRequest, guardRoutes } from './early-guard';
import { RouteTable } from './routes';

const asked: string[] = [];

@Injectable()
class KeyGuard extends EarlyGuard {
  protected async judge({ headers, url }: FastifyRequest): Promise<void> {
    asked.push(url);
    await Promise.resolve();
    if (headers['key'] !== 'right')
      throw new ApiError({ kind: 'denied', code: 'api_key_missing', detail: 'there is no key' });
  }
}

@Controller('guarded')
@UseGuards(KeyGuard)
class GuardedController {
  @Post()
  answer(): string {
    return 'in';
  }
}

@Controller('open')
class OpenController {
  @Post()
  answer(): string {
    return 'in';
  }
}

@Module({ controllers: [GuardedController, OpenController] })
class TrialModule {}

interface Trial {
  readonly app: NestFastifyApplication;
  readonly parsed: string[];
}

/** A listener that tells which bodies were read. */
async function start(prepare: (app: NestFastifyApplication, instance: FastifyInstance) => void): Promise<Trial> {
  const parsed: string[] = [];
  const adapter = new FastifyAdapter();
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  instance.addContentTypeParser('text/trial', { parseAs: 'string' }, (request, body, done) => {
    parsed.push(request.url);
    done(null, body);
  });
  const app = await NestFactory.create<NestFastifyApplication>(TrialModule, adapter, {
    logger: false,
    abortOnError: false,
  });
  app.useGlobalFilters({
    catch: (error: { code?: string }, host) =>
      void host.switchToHttp().getResponse<{ send(body: object): void }>().send({ code: error.code }),
  });
  prepare(app, instance);
  await app.init();
  asked.length = 0;
  return { app, parsed };
}

const post = async ({ app }: Trial, url: string, key?: string): Promise<string> => {
  const headers = { 'content-type': 'text/trial', ...(key === undefined ? {} : { key }) };
  return (await app.inject({ method: 'POST', url, headers, payload: 'body' })).body;
};

const methodOf = ({ prototype }: { readonly prototype: { readonly answer: () => void } }) =>
  Object.getOwnPropertyDescriptor(prototype, 'answer') as TypedPropertyDescriptor<() => void>;

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file));

const table = new RouteTable([GuardedController, OpenController]);

describe('a guard that is asked early', () => {
  it('refuses before the body is read, and is asked once about a request that it admits', async () => {
    const trial = await start((app, instance) => guardRoutes(app, instance, table));
    expect(await post(trial, '/guarded')).toBe('{"code":"api_key_missing"}');
    expect(trial.parsed).toEqual([]);
    expect(await post(trial, '/guarded?x', 'right')).toBe('in');
    expect([trial.parsed, asked]).toEqual([['/guarded?x'], ['/guarded', '/guarded?x']]);
    await trial.app.close();
  });

  it('is not asked about routes that do not name it', async () => {
    const trial = await start((app, instance) => guardRoutes(app, instance, table));
    expect(await post(trial, '/open')).toBe('in');
    expect(asked).toEqual([]);
    await trial.app.close();
  });

  it('guards its routes also where the listener has forgotten it', async () => {
    const trial = await start(() => undefined);
    expect(await post(trial, '/guarded')).toBe('{"code":"api_key_missing"}');
    expect(await post(trial, '/guarded', 'right')).toBe('in');
    await trial.app.close();
  });

  it('guards every spelling of an address that the router takes for its route', async () => {
    const trial = await start((app, instance) => guardRoutes(app, instance, table));
    expect(await post(trial, '/gu%61rded')).toBe('{"code":"api_key_missing"}');
    expect(trial.parsed).toEqual([]);
    await trial.app.close();
  });

  it('of a whole listener guards addresses that do not exist, too', async () => {
    const guard = new KeyGuard();
    const trial = await start((app, instance) => {
      guardEveryRequest(instance, [guard]);
      app.useGlobalGuards(guard);
    });
    for (const url of ['/open', '/guarded', '/nowhere'])
      expect(await post(trial, url)).toBe('{"code":"api_key_missing"}');
    expect(trial.parsed).toEqual([]);
    expect(await post(trial, '/open', 'right')).toBe('in');
    expect(asked.filter((url) => url === '/open')).toHaveLength(2);
    await trial.app.close();
  });

  class LateGuard implements CanActivate {
    canActivate(): boolean {
      return false;
    }
  }
  class Route {
    answer(): void {}
  }
  it.each<[string, () => void]>([
    ['of a controller', () => UseGuards(LateGuard)(Route)],
    ['of a method', () => UseGuards(LateGuard)(Route.prototype, 'answer', methodOf(Route))],
    ['that is an instance', () => UseGuards(new KeyGuard())(Route)],
    ['behind an early one', () => UseGuards(KeyGuard, LateGuard)(Route)],
  ])('is the only one that may guard a route: another one ends the start, %s', async (_, guard) => {
    Controller('late')(Route);
    Post()(Route.prototype, 'answer', methodOf(Route));
    for (const target of [Route, Route.prototype.answer]) Reflect.deleteMetadata(GUARDS_METADATA, target);
    guard();
    const started = start((app, instance) => guardRoutes(app, instance, new RouteTable([Route])));
    await expect(started).rejects.toThrow('a guard of POST /late is no EarlyGuard');
  });

  it('is the only kind in the gateway: guards of another kind would come after the input is judged', () => {
    const sources = filesBelow(path.resolve(__dirname, '..')).filter((file) => !/spec\.ts$/.test(file));
    const others = sources.filter((file) => /CanActivate|APP_GUARD/.test(readFileSync(file, 'utf8')));
    expect(others.map((file) => path.basename(file))).toEqual(['early-guard.ts']);
  });

  it('that nobody provides ends the start', async () => {
    @Injectable()
    class LostGuard extends EarlyGuard {
      protected judge(): void {}
    }
    @Controller('lost')
    @UseGuards(LostGuard)
    class LostController {
      @Post()
      answer(): void {}
    }
    const started = start((app, instance) => guardRoutes(app, instance, new RouteTable([LostController])));
    await expect(started).rejects.toThrow('LostGuard');
  });
});
