import { ApiError, parseJson, type JsonValue } from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';

/** A wallet's body by its media type; JSON that cannot be parsed has no value, for the service to refuse in its way. */
export type WalletBody =
  | { readonly kind: 'form'; readonly entries: [string, string][] }
  | { readonly kind: 'json'; readonly value: JsonValue | undefined }
  | { readonly kind: 'other' };

type Done = (error: Error | null, body?: unknown) => void;

/** Management bodies are JSON: bounded, strict UTF-8, and no member name twice. */
export function parseManagementBodies(instance: FastifyInstance): void {
  instance.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done: Done) => {
    const body = parseJson(String(text));
    if (body !== undefined) return done(null, body);
    const detail = 'the body is not JSON, nests deeper than 32 levels or has a member name twice';
    return done(new ApiError({ kind: 'invalid', code: 'invalid_json', detail }));
  });
}

/** Wallet bodies: a form, JSON, or something that no endpoint takes. */
export function parseWalletBodies(instance: FastifyInstance): void {
  const form = 'application/x-www-form-urlencoded';
  instance.addContentTypeParser(form, { parseAs: 'string' }, (_request, text, done: Done) => {
    const body: WalletBody = { kind: 'form', entries: [...new URLSearchParams(String(text))] };
    done(null, body);
  });
  instance.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done: Done) => {
    const body: WalletBody = { kind: 'json', value: parseJson(String(text)) };
    done(null, body);
  });
  instance.addContentTypeParser('*', { parseAs: 'string' }, (_request, _text, done: Done) => {
    const body: WalletBody = { kind: 'other' };
    done(null, body);
  });
}
