import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it was exported. */
export interface ExportedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** By name, as text. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A collector of traces on loopback, for tests: OTLP over HTTP with JSON. */
export interface OtlpStub {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  spans(): readonly ExportedSpan[];
  /** Everything that was sent, as it was sent. */
  raw(): string;
  stop(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}
type RawSpan = Omit<ExportedSpan, 'service' | 'attributes'> & { readonly attributes?: readonly Attribute[] };

const textsOf = (attributes: readonly Attribute[] = []): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

function spansIn(text: string): readonly ExportedSpan[] {
  const { resourceSpans } = JSON.parse(text) as Export;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource.attributes)['service.name'] ?? '';
    const spans = scopeSpans.flatMap((scope) => scope.spans);
    return spans.map(({ name, traceId, spanId, parentSpanId, attributes }) => ({
      service,
      name,
      traceId,
      spanId,
      parentSpanId: parentSpanId || undefined,
      attributes: textsOf(attributes),
    }));
  });
}

/** Starts a collector that accepts everything. */
export async function startOtlpStub(): Promise<OtlpStub> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansIn),
    raw: () => bodies.join('\n'),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
