import type { IncomingMessage } from 'node:http';
import { refusalOf } from './guard';

const PORT = 8090;
const own = { host: '127.0.0.1:8090' };
const json = { 'content-type': 'application/json' };

const judge = (method: string, url: string, headers: Readonly<Record<string, string>>) =>
  refusalOf({ method, url, headers } as IncomingMessage, PORT)?.status;

describe('21.1 the guard of the console', () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['GET', '/', own],
    ['GET', '/', { host: 'localhost:8090' }],
    ['GET', '/api/about', own],
    ['GET', '/api/about', { ...own, 'sec-fetch-site': 'same-origin' }],
    ['POST', '/api/wallet/present', { ...own, ...json, origin: 'http://127.0.0.1:8090' }],
    ['GET', '/status/list', { ...own, 'sec-fetch-site': 'none' }],
  ])('lets its own page pass: %s %s %j', (method, url, headers) => {
    expect(judge(method, url, headers)).toBeUndefined();
  });

  it.each<[number, string, string, Readonly<Record<string, string>>]>([
    [421, 'GET', '/', {}],
    [421, 'GET', '/', { host: 'rebound.example:8090' }],
    [421, 'GET', '/', { host: '127.0.0.1:8091' }],
    [421, 'GET', '/', { host: '127.0.0.1' }],
    [403, 'GET', '/api/wallet', { ...own, 'sec-fetch-site': 'cross-site' }],
    [403, 'GET', '/api/wallet', { ...own, 'sec-fetch-site': 'same-site' }],
    [403, 'GET', '/api/wallet', { ...own, origin: 'http://127.0.0.1:3000' }],
    [403, 'POST', '/api/wallet/present', { ...own, ...json }],
    [403, 'POST', '/api/wallet/present', { ...own, ...json, origin: 'http://localhost:8090' }],
    [403, 'DELETE', '/api/management/oidc4vp/x', { ...own, ...json, origin: 'null' }],
    [415, 'POST', '/api/wallet/present', { ...own, origin: 'http://127.0.0.1:8090', 'content-type': 'text/plain' }],
    [415, 'POST', '/api/wallet/present', { ...own, origin: 'http://127.0.0.1:8090' }],
    [403, 'POST', '/api/wallet/present?x=//', { ...own, ...json, origin: 'https://site.example' }],
    [400, 'POST', '//x/api/wallet/present', { ...own, origin: 'https://site.example', 'content-type': 'text/plain' }],
    [400, 'GET', '//x/api/wallet', { ...own, 'sec-fetch-site': 'cross-site' }],
    [400, 'POST', '/x/../api/wallet/redeem', { ...own, origin: 'https://site.example' }],
    [400, 'POST', '/.//api/wallet/redeem', { ...own, origin: 'https://site.example' }],
    [400, 'POST', '/%2e/api/wallet/redeem', { ...own, origin: 'https://site.example' }],
    [400, 'POST', '/\\\\x/api/wallet/redeem', { ...own, origin: 'https://site.example' }],
    [400, 'POST', 'http://x/api/wallet/redeem', { ...own, origin: 'https://site.example' }],
    [400, 'GET', '/#/api/wallet', { ...own, origin: 'https://site.example' }],
  ])('returns %i for a stranger: %s %s %j', (status, method, url, headers) => {
    expect(judge(method, url, headers)).toBe(status);
  });
});
