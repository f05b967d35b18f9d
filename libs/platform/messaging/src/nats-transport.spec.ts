import type { PeerCertificate } from 'node:tls';
import { identityOf } from './nats-transport';

const certificate = (...names: string[]) =>
  ({ subject: { CN: 'x' }, subjectaltname: names.map((name) => `DNS:${name}`).join(', ') }) as PeerCertificate;

describe('the certificate of a NATS server', () => {
  const servers = ['tls://one.bus.example:4222', 'tls://two.bus.example'];
  const isGood = (host: string, ...names: string[]) => identityOf(servers)(host, certificate(...names)) === undefined;

  it('is for the name in NATS_URL that it was asked for, not for another one there', () => {
    expect(isGood('one.bus.example', 'one.bus.example')).toBe(true);
    expect(isGood('one.bus.example', 'two.bus.example')).toBe(false);
    expect(isGood('two.bus.example', '*.bus.example')).toBe(true);
  });

  it.each(['stranger.net', 'evil.one.bus.example', '192.0.2.7', 'localhost', ''])(
    'of a server that is announced as %j proves nothing by that name',
    (host) => {
      const wrong = identityOf(servers)(host, certificate(host, 'localhost', 'stranger.net'));
      expect(wrong).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      expect(isGood(host, 'two.bus.example')).toBe(true);
    },
  );
});
