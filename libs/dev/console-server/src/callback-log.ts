import { CallbackError, verifyCallback, type CallbackHeaders } from '@vestibule/client';

/** A callback as it arrived. */
export interface ArrivedCallback {
  readonly receivedAt: Date;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: unknown;
}

/** A callback as the console shows it. */
export interface LoggedCallback {
  readonly number: number;
  readonly receivedAt: string;
  readonly subject: string | undefined;
  readonly status: string | undefined;
  readonly body: unknown;
  readonly webhookId: string | undefined;
  /** `valid`, or why it is not: the code of the client. */
  readonly signature: string;
}

const KEPT = 200;

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

function signatureOf(text: string, headers: CallbackHeaders, secrets: readonly string[]): string {
  try {
    verifyCallback(text, headers, secrets);
    return 'valid';
  } catch (error) {
    if (error instanceof CallbackError) return error.code;
    throw error;
  }
}

/** The last callbacks of this console, in memory alone, each with its signature checked as a backend checks it. */
export function createCallbackLog(secrets: readonly string[]) {
  const kept: LoggedCallback[] = [];
  let count = 0;
  return {
    add({ receivedAt, headers, text, body }: ArrivedCallback): void {
      const event = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
      const named = (name: string) => (typeof event[name] === 'string' ? event[name] : undefined);
      kept.push({
        number: (count += 1),
        receivedAt: receivedAt.toISOString(),
        subject: named('state') ?? named('offerId'),
        status: named('status'),
        body,
        webhookId: single(headers['webhook-id']),
        signature: signatureOf(text, headers, secrets),
      });
      if (kept.length > KEPT) kept.shift();
    },
    /** Oldest first; of one request or offer, or all. */
    list: (subject?: string): readonly LoggedCallback[] =>
      kept.filter((callback) => subject === undefined || callback.subject === subject),
  };
}

export type CallbackLog = ReturnType<typeof createCallbackLog>;
