import { noRouteAt } from './errors';
import { originForm } from './origin-form';

it.each([
  ['/offers?state=a', '/offers?state=a'],
  ['http://host.example/offers', '/offers'],
  ['HTTPS://host.example:8443/offers?at=http://other.example/', '/offers?at=http://other.example/'],
  ['http://host.example', '/'],
  ['http://host.example?limit=1', '/?limit=1'],
  ['ftp://host.example/offers', 'ftp://host.example/offers'],
  ['*', '*'],
])('the target %s is %s to a server', (target, expected) => {
  expect(originForm(target)).toBe(expected);
});

it.each(['/offers/', 'http://host.example/offers/'])('says of %s what it says of its path', (target) => {
  const asked: string[] = [];
  const ask = (address: string) => void asked.push(address);
  const error = noRouteAt(target, { hintFor: ask, nearTo: ask });
  expect([asked, error.detail]).toEqual([['/offers/'], expect.stringContaining('without the slash')]);
});
