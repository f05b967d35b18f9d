import { Controller, Post } from '@nestjs/common';
import fastify, { type FastifyInstance } from 'fastify';
import fc from 'fast-check';
import { fastestMilliseconds } from '@vestibule/testkit';
import { parseBodies, ParsesBodies } from '../http/body-parsing';
import { RouteTable } from '../http/routes';
import { parseWalletForm, WALLET_BODIES } from './wallet-bodies';

const NAMES = ['response', 'state', 'error', 'vp_token', '__proto__', 'constructor', 'toString', ''];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string());
const fields = fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 100 });
const piece = fc.oneof(
  fc.constantFrom('&', '=', '%', '%00', '%ff', '%C3%A9', '+', ';', '\0', '\uFEFF', '\r\n', 'response=', 'state='),
  name,
);

@ParsesBodies(WALLET_BODIES)
@Controller()
class EchoController {
  @Post()
  echo(): void {}
}

let instance: FastifyInstance;
beforeAll(() => {
  instance = fastify();
  instance.removeAllContentTypeParsers();
  parseBodies(instance, new RouteTable([EchoController]));
  instance.post('/', (request) => ({ body: request.body ?? null }));
});
afterAll(() => instance.close());

describe('the form of a wallet', () => {
  it('VP:G7 VP:G11 VP:Q10 comes out as it went in, whatever its names and values are', () => {
    fc.assert(
      fc.property(fields, (entries) => {
        const text = new URLSearchParams(entries).toString();
        expect(parseWalletForm(Buffer.from(text))).toEqual({ kind: 'form', entries });
        expect(Object.getOwnPropertyNames({})).toEqual([]);
      }),
    );
  });

  it('VP:G1 VP:Q10 of any bytes is a form of at most 100 fields or none, and never an error of this program', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 500 }).map((raw) => Buffer.from(raw)),
      fc.array(piece, { maxLength: 150 }).map((pieces) => Buffer.from(pieces.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (payload) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const answer = await instance.inject({ method: 'POST', url: '/', headers, payload });
        const { body } = answer.json<{ body: { kind: string; entries?: unknown[] } | null }>();
        expect([answer.statusCode, payload.length === 0 ? null : expect.anything()]).toEqual([200, body]);
        expect(body?.entries?.length ?? 0).toBeLessThanOrEqual(100);
        expect(['form', 'other', undefined]).toContain(body?.kind);
      }),
    );
  });

  it('VCI:T2 VP:G1 keeps a question mark before the first name, which is none of its parameters', () => {
    for (const text of ['?response=x', '??response=x', '?=x', '?'])
      expect(parseWalletForm(Buffer.from(text))).toEqual({
        kind: 'form',
        entries: [[text.split('=', 1)[0], text.includes('x') ? 'x' : '']],
      });
  });

  it('VP:G10 of more than 100 fields is none, and of 100 is one', () => {
    const fieldsOf = (count: number) => Buffer.from(Array.from({ length: count }, (_, at) => `f${at}=1`).join('&'));
    expect(parseWalletForm(fieldsOf(100))).toMatchObject({ kind: 'form' });
    expect(parseWalletForm(fieldsOf(101))).toEqual({ kind: 'other' });
  });

  const size = 100_000;
  it.each<readonly [string, string]>([
    ['separators', '&'.repeat(size)],
    ['fields', 'a&'.repeat(size / 2)],
    ['equals signs', '='.repeat(size)],
    ['percent signs', '%'.repeat(size)],
    ['escapes', '%41'.repeat(size / 3)],
    ['escapes that are no UTF-8', '%ff'.repeat(size / 3)],
    ['blanks', '+'.repeat(size)],
    ['one long value', `response=${'A'.repeat(size)}`],
    ['one long name', 'A'.repeat(size)],
  ])('VP:Q10 of 100 KB of %s is answered within 50 ms', (_what, text) => {
    const bytes = Buffer.from(text);
    expect(fastestMilliseconds(() => parseWalletForm(bytes))).toBeLessThan(50);
  });

  it('VP:Q10 of 1 MiB of separators costs no more than that', () => {
    const bytes = Buffer.from('a&'.repeat(524_288));
    expect(fastestMilliseconds(() => parseWalletForm(bytes))).toBeLessThan(50);
  });
});
