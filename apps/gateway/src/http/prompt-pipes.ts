import { type ExecutionContext, type PipeTransform, type Type } from '@nestjs/common';
import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';

/** A pipe that awaits nothing and has nothing injected. */
export abstract class PromptPipe<In, Out> implements PipeTransform<In, Out> {
  abstract transform(value: In): Out;
}

type AnyPipe = PromptPipe<unknown, unknown>;

/** How Nest remembers a parameter of a method. */
interface Parameter {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
  readonly factory?: (data: unknown, context: ExecutionContext) => unknown;
}

const PARTS: Readonly<Record<string, (request: FastifyRequest) => unknown>> = {
  [RouteParamtypes.BODY]: ({ body }) => body,
  [RouteParamtypes.QUERY]: ({ query }) => query,
  [RouteParamtypes.PARAM]: ({ params }) => params,
};

/** The pipe itself, if it is a prompt one; undefined for any other. */
function promptPipe(pipe: unknown): AnyPipe | undefined {
  if (pipe instanceof PromptPipe) return pipe as AnyPipe;
  const isClass = typeof pipe === 'function' && pipe.prototype instanceof PromptPipe;
  return isClass ? new (pipe as Type<AnyPipe>)() : undefined;
}

/** The value of a parameter before its pipes; undefined for a part of the request that is not known here. */
function readerOf(key: string, { data, factory }: Parameter): ((context: ExecutionContext) => unknown) | undefined {
  if (factory) return (context) => factory(data, context);
  const part = PARTS[key.split(':', 1)[0] ?? ''];
  if (part === undefined) return undefined;
  return (context) => {
    const value = part(context.switchToHttp().getRequest<FastifyRequest>());
    return typeof data === 'string' ? (value as Readonly<Record<string, unknown>> | undefined)?.[data] : value;
  };
}

/** The entries that replace that of a parameter; undefined if it needs Nest's own pipeline. */
function promptEntries(key: string, parameter: Parameter): [string, Parameter][] | undefined {
  const { index, data, pipes = [] } = parameter;
  if (pipes.length === 0) return [[key, parameter]];
  const prompt = pipes.flatMap((pipe) => promptPipe(pipe) ?? []);
  const read = readerOf(key, parameter);
  if (read === undefined || prompt.length < pipes.length) return undefined;
  const factory = (_data: unknown, context: ExecutionContext): unknown =>
    prompt.reduce((value, pipe) => pipe.transform(value), read(context));
  if (parameter.factory) return [[key, { ...parameter, factory, pipes: [] }]];
  // The first stays for the API description; the second sets the same argument after it.
  return [
    [key, { ...parameter, pipes: [] }],
    [`prompt-${key.replace(':', `${CUSTOM_ROUTE_ARGS_METADATA}:`)}`, { index, data, factory, pipes: [] }],
  ];
}

/**
 * Runs the pipes of a controller's methods while their parameters are read. Nest runs every pipe in promises, eight per
 * parameter, each of which costs as much as the pipe. A method with any pipe that is not a {@link PromptPipe} stays as it
 * is, so that the order in which parameters are judged is always Nest's.
 */
export function PipesAtOnce(): ClassDecorator {
  return (controller) => {
    for (const name of Object.getOwnPropertyNames(controller.prototype)) {
      const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as
        Readonly<Record<string, Parameter>> | undefined;
      const replaced = Object.entries(parameters ?? {}).map(([key, parameter]) => promptEntries(key, parameter));
      const entries = replaced.flatMap((one) => one ?? []);
      if (replaced.includes(undefined) || entries.length === 0) continue;
      Reflect.defineMetadata(ROUTE_ARGS_METADATA, Object.fromEntries(entries), controller, name);
    }
  };
}
