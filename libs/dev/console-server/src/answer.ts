import type { IncomingMessage } from 'node:http';

/** The answer of a route, as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A route refuses: an answer of its own. */
export class RouteFault extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(detail);
  }
}

const MAX_BODY_BYTES = 1_048_576;

/** The JSON object in the body of a request. Throws a {@link RouteFault}. */
export async function readObject(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new RouteFault(413, 'the body is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    throw new RouteFault(400, 'the body is not JSON');
  }
  throw new RouteFault(400, 'the body is not a JSON object');
}

/** A member that must be a string. Throws a {@link RouteFault}. */
export function stringAt(object: Readonly<Record<string, unknown>>, name: string): string {
  const value = object[name];
  if (typeof value !== 'string' || value === '') throw new RouteFault(400, `${name} is missing`);
  return value;
}
