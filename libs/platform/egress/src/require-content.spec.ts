import { requireContent } from './index';

const TYPE = 'application/statuslist+jwt';
const response = (status: number, contentType: string | undefined) =>
  ({ status, contentType, body: Buffer.from('token') }) as Parameters<typeof requireContent>[0];
const code = (expected: string) => expect.objectContaining({ code: expected });

it.each([200, 299])('VP:O3 takes the body of an answer with status %d', (status) => {
  expect(requireContent(response(status, TYPE), TYPE).toString()).toBe('token');
});

it.each([100, 199, 300, 304, 404, 500])('VP:O3 takes no body of an answer with status %d', (status) => {
  expect(() => requireContent(response(status, TYPE), TYPE)).toThrow(code('egress_status'));
});

it.each([`${TYPE}; charset=utf-8`, `${TYPE} ;a=b`, 'Application/StatusList+JWT'])('takes %s for its type', (type) => {
  expect(requireContent(response(200, type), TYPE).toString()).toBe('token');
  expect(requireContent(response(200, type), 'Application/Statuslist+jwt').toString()).toBe('token');
});

it.each([undefined, '', 'text/html', `x-${TYPE}`, `${TYPE}x`, `text/html; ${TYPE}`, `${TYPE}, text/html`])(
  'does not take %s for its type',
  (type) => {
    expect(() => requireContent(response(200, type), TYPE)).toThrow(code('egress_content_type'));
  },
);
