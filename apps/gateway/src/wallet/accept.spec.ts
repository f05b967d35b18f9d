import { prefersJwt } from './accept';

describe('prefersJwt', () => {
  it.each([
    'application/jwt',
    'Application/JWT',
    'application/jwt, */*',
    'application/jwt;q=0.9, application/json;q=0.5',
    'application/jwt; q=1.000, application/json;q=0',
    'text/html, application/jwt;q=0.1',
  ])('VCI:S1 %s prefers a JWT', (accept) => {
    expect(prefersJwt(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    'application/json, application/jwt',
    'application/jwt;q=0.5, application/json',
    'application/jwt;q=0',
    'application/jwt-x',
    ',;,',
  ])('VCI:M1 VCI:S1 %s means JSON', (accept) => {
    expect(prefersJwt(accept)).toBe(false);
  });
});
