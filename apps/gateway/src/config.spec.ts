import { loadConfiguration } from '@vestibule/process';
import { gatewayConfiguration } from './config';

const environment = { NATS_URL: 'nats://127.0.0.1:4222', BASE_URL: 'https://wallets.example' };
const load = (change: Record<string, string>) => loadConfiguration(gatewayConfiguration, { ...environment, ...change });

function refused(change: Record<string, string>): string[] {
  try {
    load(change);
    return [];
  } catch (error) {
    return (error as { faults: { path: string }[] }).faults.map(({ path }) => path);
  }
}

describe('the configuration of the gateway', () => {
  it('keeps the management listener on loopback and limits rates unless it is told otherwise', () => {
    expect(load({})).toMatchObject({
      managementHost: '127.0.0.1',
      managementPort: 8081,
      publicHost: '0.0.0.0',
      publicPort: 8080,
      rateLimitPerMinute: 600,
      servesContent: true,
    });
  });

  it.each<[string, readonly string[]]>([
    ['127.0.0.1', ['127.0.0.1']],
    ['10.0.0.0/8, 2001:db8::/32', ['10.0.0.0/8', '2001:db8::/32']],
  ])('trusts the proxies %s', (text, expected) => {
    expect(load({ TRUSTED_PROXIES: text }).trustedProxies).toEqual(expected);
  });

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0', '10.0.0.0/8/8', '10.0.0.0/', '*', 'true'])(
    'refuses the proxy %s before anything starts',
    (text) => {
      expect(refused({ TRUSTED_PROXIES: text })).toEqual(['TRUSTED_PROXIES']);
    },
  );

  it('has all services unless it is told which', () => {
    expect(load({}).services).toEqual(['verifier', 'issuer', 'wallet-store']);
    expect(load({ SERVICES: 'issuer, verifier,issuer' }).services).toEqual(['verifier', 'issuer']);
  });

  it.each(['gateway', 'verifier,', 'Verifier', '*'])('refuses the services %s before anything starts', (text) => {
    expect(refused({ SERVICES: text })).toEqual(['SERVICES']);
  });

  it('knows hosts of the management listener in one spelling', () => {
    expect(load({ MANAGEMENT_HOSTS: 'Gateway, vestibule.internal.example.' }).managementHosts).toEqual([
      'gateway',
      'vestibule.internal.example',
    ]);
    expect(load({}).managementHosts).toBeUndefined();
  });

  it.each(['gateway:8081', 'http://gateway', '*.example', 'a,,b', 'a b', '[::1]', 'gäteway', '.'])(
    'refuses the host %s of the management listener before anything starts',
    (text) => {
      expect(refused({ MANAGEMENT_HOSTS: text })).toEqual(['MANAGEMENT_HOSTS']);
    },
  );

  it.each(['http://wallets.example', 'https://wallets.example/?x', 'https://wallets.example/#y', 'wallets.example'])(
    'VCI:U1 VP:A8 refuses %s as a public URL',
    (url) => {
      expect(refused({ BASE_URL: url, ISSUER_URL: url })).toEqual(['BASE_URL', 'ISSUER_URL']);
    },
  );

  it('VCI:U1 allows http for loopback, and a path', () => {
    expect(load({ BASE_URL: 'http://127.0.0.1:8080' }).baseUrl).toBe('http://127.0.0.1:8080');
    expect(load({ ISSUER_URL: 'https://host.example/issuer' }).issuerUrl).toBe('https://host.example/issuer');
  });
});
