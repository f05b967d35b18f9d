import { hostileUrls } from '@vestibule/testkit';
import { callbackUrlFault } from './callback-target';

const ORIGINS = ['https://b.example', 'http://hooks.internal:8090'];
const faulty = expect.stringMatching(/^must /);

describe('the URL of one flow', () => {
  it.each([
    'https://b.example/hooks?tenant=2',
    'https://b.example/a/b%20c?d=%2F',
    'http://hooks.internal:8090',
    'http://hooks.internal:8090/',
  ])('%s is accepted', (text) => {
    expect(callbackUrlFault(text, ORIGINS)).toBeUndefined();
  });

  it.each([
    ['http://b.example/hooks', 'another scheme'],
    ['https://b.example:8443/hooks', 'another port'],
    ['https://b.example.evil.example/hooks', 'a longer host'],
    ['https://evil.example/https://b.example', 'an origin in the path'],
    ['https://b.example@evil.example/', 'a user that looks like the host'],
    ['https://user:pw@b.example/', 'a user'],
    ['https://b.example/#part', 'a fragment'],
    ['https:\\\\evil.example\\b.example', 'backslashes'],
    ['//b.example/hooks', 'no scheme'],
    ['hooks', 'no URL'],
    ['file:///etc/passwd', 'no web address'],
    [`https://b.example/${'a'.repeat(2_048)}`, 'more than 2048 characters'],
  ])('%s is refused: %s', (text) => {
    expect(callbackUrlFault(text, ORIGINS)).toEqual(faulty);
  });

  it.each(hostileUrls('b.example'))(
    'with %s is refused, though parsers find the allowed origin in it',
    (_what, text) => {
      expect(callbackUrlFault(text, ORIGINS)).toEqual(faulty);
    },
  );

  it('is refused where no origin is configured', () => {
    expect(callbackUrlFault('https://b.example/', [])).toEqual(faulty);
  });
});
