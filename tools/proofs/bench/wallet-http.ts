import { Agent } from 'undici';
import { StepFault } from './flows';

/** One HTTP request of a wallet or backend. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Http {
  /**
   * Returns the body of a 2xx answer.
   * @throws StepFault that names the step and the status with the error code, or the failure of the connection
   */
  ask(step: string, question: Question): Promise<string>;
  close(): Promise<void>;
}

const TIMEOUT_MILLISECONDS = 30_000;

/** `error` of OAuth or `code` of problem details, if the body has one that looks like a code. */
export function codeIn(body: string): string {
  try {
    const { error, code } = JSON.parse(body) as Record<string, unknown>;
    const found = error ?? code;
    return typeof found === 'string' && /^[\w-]{1,64}$/.test(found) ? ` ${found}` : '';
  } catch {
    return '';
  }
}

function nameOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name);
}

/** Connections are kept alive, at most `connections` to each listener. */
export function openHttp(connections: number): Http {
  const limits = { headersTimeout: TIMEOUT_MILLISECONDS, bodyTimeout: TIMEOUT_MILLISECONDS };
  const agent = new Agent({ connections, pipelining: 1, ...limits });
  return {
    async ask(step, { method, url, headers, body }) {
      const { origin, pathname, search } = new URL(url);
      const options = {
        origin,
        path: `${pathname}${search}`,
        method,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
      };
      let status: number;
      let text: string;
      try {
        const answer = await agent.request(options);
        status = answer.statusCode;
        text = await answer.body.text();
      } catch (error) {
        throw new StepFault(step, nameOf(error));
      }
      if (status >= 200 && status < 300) return text;
      throw new StepFault(step, `${status}${codeIn(text)}`);
    },
    close: () => agent.close(),
  };
}
