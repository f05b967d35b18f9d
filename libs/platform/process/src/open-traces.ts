import { createRequire } from 'node:module';
import type * as Api from '@opentelemetry/api';
import type * as Exporter from '@opentelemetry/exporter-trace-otlp-http';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace';
import { DomainError } from '@vestibule/foundation';
import { type Configuration, optionalVariable, variable } from './configuration';
import { choiceSetting, ratioSetting } from './settings';
import { setTracer, type OpenSpan, type SpanAttributes, type StartSpan } from './traces';

const category = 'Operations';

/** Whether a process exports traces. The addresses and headers of the collector are read by the exporter itself. */
export const traceVariables = {
  tracesExporter: optionalVariable('OTEL_TRACES_EXPORTER', choiceSetting(['none', 'otlp']), {
    category,
    description:
      'otlp exports traces over OTLP/HTTP, to the address of the standard OTEL_EXPORTER_OTLP_ variables; none, or not set, costs nothing',
  }),
  tracesRatio: variable('OTEL_TRACES_SAMPLER_ARG', ratioSetting(), {
    category,
    description: 'Which part of the traces that begin here is exported, between 0 and 1',
    default: '1',
  }),
};

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface Packages {
  readonly api: typeof Api;
  readonly sdk: typeof Sdk;
  readonly resources: typeof Resources;
  readonly exporter: typeof Exporter;
}

/** Loaded only when traces are on: it is an optional dependency, and takes a tenth of a second and some megabytes. */
function loadPackages(): Packages {
  const load = createRequire(__filename);
  try {
    return {
      api: load('@opentelemetry/api') as typeof Api,
      sdk: load('@opentelemetry/sdk-trace') as typeof Sdk,
      resources: load('@opentelemetry/resources') as typeof Resources,
      exporter: load('@opentelemetry/exporter-trace-otlp-http') as typeof Exporter,
    };
  } catch (error) {
    throw new DomainError({
      kind: 'internal',
      code: 'traces_not_installed',
      detail: 'OTEL_TRACES_EXPORTER is otlp, but the packages of OpenTelemetry are not installed',
      cause: error,
    });
  }
}

function parentOf({ api }: Packages, traceparent: string | undefined): Api.Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return api.ROOT_CONTEXT;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return api.trace.setSpan(api.ROOT_CONTEXT, api.trace.wrapSpanContext(context));
}

function traceparentOf({ traceId, spanId, traceFlags }: Api.SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

const attributesOf = (attributes: SpanAttributes): Api.Attributes => ({ ...attributes });

function openSpan({ api }: Packages, span: Api.Span): OpenSpan {
  return {
    traceparent: traceparentOf(span.spanContext()),
    end({ attributes = {}, failed = false } = {}) {
      span.setAttributes(attributesOf(attributes));
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function starterOf(packages: Packages, tracer: Api.Tracer): StartSpan {
  const { SERVER, CLIENT, INTERNAL } = packages.api.SpanKind;
  const kinds = { server: SERVER, client: CLIENT, internal: INTERNAL };
  return ({ name, kind, attributes = {} }, parent) => {
    const options = { kind: kinds[kind], attributes: attributesOf(attributes) };
    return openSpan(packages, tracer.startSpan(name, options, parentOf(packages, parent)));
  };
}

function resourceOf({ resources }: Packages, service: string, version: string): Resources.Resource {
  const own = resources.resourceFromAttributes({
    'service.namespace': 'vestibule',
    'service.name': service,
    'service.version': version,
  });
  return own.merge(resources.detectResources({ detectors: [resources.envDetector] }));
}

/**
 * Exports the spans of this process, if the configuration says so. Returns how to send the rest and stop. Throws
 * `traces_not_installed`.
 */
export function openTraces(
  { tracesExporter, tracesRatio }: Configuration<typeof traceVariables>,
  { service, version }: { readonly service: string; readonly version: string },
): (() => Promise<void>) | undefined {
  if (tracesExporter !== 'otlp') return undefined;
  const packages = loadPackages();
  const { sdk, exporter } = packages;
  const root = new sdk.TraceIdRatioBasedSampler(tracesRatio);
  const provider = new sdk.TracerProvider({
    resource: resourceOf(packages, service, version),
    sampler: new sdk.ParentBasedSampler({ root }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
  });
  setTracer(starterOf(packages, provider.getTracer('vestibule', version)));
  return async () => {
    setTracer(undefined);
    await provider.shutdown();
  };
}
