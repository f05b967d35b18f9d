import { acceptCallbackUrl } from './callback-target';

const ORIGINS = ['https://b.example', 'http://hooks.internal:8090'];

describe('the URL of one flow', () => {
  it.each([
    ['https://b.example/hooks?tenant=2', 'https://b.example/hooks?tenant=2'],
    ['HTTPS://B.example:443/a/../hooks', 'https://b.example/hooks'],
    ['http://hooks.internal:8090', 'http://hooks.internal:8090/'],
  ])('%s is accepted and written as %s', (text, normalized) => {
    expect(acceptCallbackUrl(text, ORIGINS)).toBe(normalized);
  });

  it.each([
    ['http://b.example/hooks', 'another scheme'],
    ['https://b.example:8443/hooks', 'another port'],
    ['https://b.example.evil.example/hooks', 'a longer host'],
    ['https://evil.example/https://b.example', 'an origin in the path'],
    ['https://b.example@evil.example/', 'a user that looks like the host'],
    ['https://user:pw@b.example/', 'a user'],
    ['https://b.example/#part', 'a fragment'],
    ['https://b.example/a b', 'a space'],
    ['https:\\\\evil.example\\b.example', 'backslashes'],
    ['//b.example/hooks', 'no scheme'],
    ['hooks', 'no URL'],
    ['file:///etc/passwd', 'no web address'],
    [`https://b.example/${'a'.repeat(2_048)}`, 'more than 2048 characters'],
  ])('%s is refused: %s', (text) => {
    expect(acceptCallbackUrl(text, ORIGINS)).toBeUndefined();
  });

  it('is refused where no origin is configured', () => {
    expect(acceptCallbackUrl('https://b.example/', [])).toBeUndefined();
  });
});
