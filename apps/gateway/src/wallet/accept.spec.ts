import { prefersJwt, takesCwtAlone } from './accept';

describe('prefersJwt', () => {
  it.each([
    'application/jwt',
    'Application/JWT',
    'application/jwt, */*',
    'application/jwt;q=0.9, application/json;q=0.5',
    'application/jwt; q=1.000, application/json;q=0',
    'text/html, application/jwt;q=0.1',
    'application/jwt,application/json',
    'application/json, application/jwt',
    'application/json;q=0.5, application/jwt;q=0.5, */*',
  ])('VCI:S1 %s gets a JWT', (accept) => {
    expect(prefersJwt(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    'application/jwt;q=0.5, application/json',
    'application/jwt;q=0.999, application/json',
    'application/jwt;q=0, application/json;q=0',
    'application/jwt;q=0',
    'application/jwt-x',
    ',;,',
  ])('VCI:M1 VCI:S1 %s means JSON', (accept) => {
    expect(prefersJwt(accept)).toBe(false);
  });
});

describe('takesCwtAlone', () => {
  it.each([
    'application/statuslist+cwt',
    'Application/StatusList+CWT;q=0.1',
    'application/statuslist+cwt, application/json',
    'application/statuslist+cwt, application/statuslist+jwt;q=0',
    'application/statuslist+cwt, application/statuslist+jwt;q=0, */*',
    'application/statuslist+cwt, */*;q=0',
  ])('VCI:Z4 VCI:Z15 %s cannot be served', (accept) => {
    expect(takesCwtAlone(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'text/html',
    'application/statuslist+jwt',
    'application/statuslist+cwt, application/statuslist+jwt',
    'application/statuslist+jwt;q=0.1, application/statuslist+cwt',
    'application/statuslist+cwt, */*;q=0.1',
    'application/statuslist+cwt, application/*',
    'application/statuslist+cwt;q=0',
    'application/statuslist+cwt-x',
  ])('VCI:Z4 %s gets the JWT form', (accept) => {
    expect(takesCwtAlone(accept)).toBe(false);
  });
});
