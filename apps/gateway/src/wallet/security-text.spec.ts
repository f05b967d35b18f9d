import { startGateway, type Gateway } from '../testing/gateway.stage';
import { isContact, renderSecurityText, securityTextOf } from './security-text';

const PATH = '/.well-known/security.txt';
const END = '2999-01-31T12:00:00Z';
const CONTACT = 'https://example.com/report';

async function withGateway(environment: Record<string, string>, work: (gateway: Gateway) => Promise<void>) {
  const gateway = await startGateway({ environment });
  try {
    await work(gateway);
  } finally {
    await gateway.close();
  }
}

describe('security.txt (RFC 9116)', () => {
  it('says what the operator configured, as text that a cache keeps for an hour', () =>
    withGateway(
      {
        SECURITY_CONTACT: `${CONTACT}, mailto:security@example.com`,
        SECURITY_EXPIRES: '2999-01-31T13:00:00+01:00',
        SECURITY_POLICY: 'https://example.com/policy',
      },
      async (gateway) => {
        const { status, headers, text } = await gateway.toPublic(PATH);
        expect([status, headers['content-type'], headers['cache-control']]).toEqual([
          200,
          'text/plain; charset=utf-8',
          'public, max-age=3600',
        ]);
        expect(text.split('\n')).toEqual([
          `Contact: ${CONTACT}`,
          'Contact: mailto:security@example.com',
          `Expires: ${END}`,
          'Policy: https://example.com/policy',
          'Canonical: https://wallets.example/.well-known/security.txt',
          '',
        ]);
        expect((await gateway.toManagement(PATH)).status).toBe(404);
        const other = await gateway.toPublic(PATH, { method: 'POST' });
        expect([other.status, other.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
        expect(gateway.asked).toEqual([]);
      },
    ));

  it('is at the root of the host, whatever paths the addresses have', () =>
    withGateway(
      {
        BASE_URL: 'https://host.example/wallets',
        ISSUER_URL: 'https://host.example/issuer',
        SECURITY_CONTACT: CONTACT,
        SECURITY_EXPIRES: END,
      },
      async (gateway) => {
        expect((await gateway.toPublic(PATH)).text).toContain(
          'Canonical: https://host.example/.well-known/security.txt\n',
        );
        for (const path of [`/wallets${PATH}`, `${PATH}/wallets`, `${PATH}/`, '/security.txt']) {
          expect([path, (await gateway.toPublic(path)).status]).toEqual([path, 404]);
        }
      },
    ));

  it('is 404 where nobody configured it, and where it has expired, which the log says', async () => {
    await withGateway({}, async (gateway) => {
      const { status, headers, json } = await gateway.toPublic(PATH);
      expect([status, headers['cache-control'], json['error']]).toEqual([404, 'no-store', 'invalid_request']);
    });
    const expired = { SECURITY_CONTACT: CONTACT, SECURITY_EXPIRES: '2020-01-01T00:00:00Z' };
    await withGateway(expired, async (gateway) => {
      expect((await gateway.toPublic(PATH)).status).toBe(404);
      expect(gateway.lines.join('')).toContain('SECURITY_EXPIRES has passed');
    });
  });

  it('ends at its moment while the gateway runs', () => {
    const text = { contacts: [CONTACT], expiresAt: new Date(END), policy: undefined };
    const at = (time: string) => renderSecurityText(text, new URL('http://127.0.0.1:8080'), new Date(time));
    expect(at('2999-01-31T11:59:59.999Z')).toBe(`Contact: ${CONTACT}\nExpires: ${END}\n`);
    expect(at(END)).toBeUndefined();
  });

  it.each([
    [{ SECURITY_CONTACT: CONTACT }],
    [{ SECURITY_EXPIRES: END }],
    [{ SECURITY_POLICY: CONTACT }],
    [{ SECURITY_POLICY: CONTACT, SECURITY_EXPIRES: END }],
  ])('does not start with a part of it: %j', async (environment) => {
    await expect(startGateway({ environment })).rejects.toMatchObject({ code: 'security_text_incomplete' });
  });

  it.each([
    { SECURITY_CONTACT: 'security@example.com' },
    { SECURITY_CONTACT: 'http://example.com/report' },
    { SECURITY_CONTACT: `${CONTACT},,${CONTACT}` },
    { SECURITY_CONTACT: Array(11).fill(CONTACT).join() },
    { SECURITY_EXPIRES: 'tomorrow' },
    { SECURITY_EXPIRES: '2999-01-31' },
    { SECURITY_POLICY: 'example.com' },
  ])('does not start with %j', async (wrong) => {
    const environment = { SECURITY_CONTACT: CONTACT, SECURITY_EXPIRES: END, ...wrong } as Record<string, string>;
    const [name] = Object.keys(wrong);
    await expect(startGateway({ environment })).rejects.toMatchObject({ faults: [{ path: name }] });
  });

  it.each([
    'mailto:a@b.example\nContact: mailto:evil@c.example',
    'https://example.com/a\r\nExpires: never',
    'mailto:a@b.example?subject=x',
    'mailto:a@b',
    'mailto:@b.example',
    'mailto:a b@c.example',
    'tel:112',
    'tel:+',
    'javascript:alert(1)',
    '',
  ])('takes no contact like %j', (text) => {
    expect(isContact(text)).toBe(false);
  });

  it.each(['tel:+1-201-555-0123', 'mailto:security+vestibule@sub.example.com', 'https://example.com'])(
    'takes the contact %s',
    (text) => {
      expect(isContact(text)).toBe(true);
    },
  );

  it('needs nothing configured', () => {
    expect(securityTextOf({ baseUrl: 'https://wallets.example' })).toBeUndefined();
  });
});
