import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What the browser gets. */
export interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const ASSET = /^\/assets\/[A-Za-z0-9._-]+$/;
/** In index.html, where the nonce of the styles goes. */
const NONCE = '__STYLE_NONCE__';

/** No inline script, no request to anybody else; styles of the component library carry the nonce of this page. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Headers of every answer. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const notice = (text: string, refresh: boolean): Served => ({
  status: 200,
  headers: { ...SAFE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Vestibule console</title>${
    refresh ? '<meta http-equiv="refresh" content="2">' : ''
  }</head><body><h1>Vestibule console</h1><p>${text}</p></body></html>`,
});

function indexPage(folder: string): Served {
  const nonce = randomBytes(16).toString('base64');
  const body = readFileSync(path.join(folder, 'index.html'), 'utf8').replaceAll(NONCE, nonce);
  const headers = { ...SAFE_HEADERS, 'content-security-policy': policyOf(nonce) };
  return { status: 200, headers: { ...headers, 'content-type': TYPES['.html'] as string }, body };
}

/** State of the built page. */
export type PageState = 'building' | 'ready' | 'absent';

/** A file of the page; every path that is no asset is the page itself. */
export function servePage(folder: string, pathname: string, state: PageState): Served {
  if (state === 'building') return notice('The page is being built. It appears here by itself.', true);
  if (state === 'absent') return notice('The page could not be built: the terminal says why.', false);
  if (!pathname.startsWith('/assets/')) return indexPage(folder);
  const file = path.join(folder, pathname);
  const type = TYPES[path.extname(pathname)];
  if (!ASSET.test(pathname) || type === undefined || !existsSync(file)) {
    return { status: 404, headers: { ...SAFE_HEADERS, 'content-type': 'text/plain' }, body: 'not found' };
  }
  const headers = { ...SAFE_HEADERS, 'content-type': type, 'cache-control': 'max-age=31536000, immutable' };
  return { status: 200, headers, body: readFileSync(file) };
}
