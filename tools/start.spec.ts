import { describeStack } from './start';
import { describeOffers, qrCaption } from './start-offers';

const STACK = {
  managementUrl: 'http://127.0.0.1:49151',
  baseUrl: 'http://127.0.0.1:49152',
  issuerUrl: 'http://127.0.0.1:49152',
  databaseAdminUrl: 'postgres://vestibule:secret@127.0.0.1:5432/vestibule',
  natsUrl: 'nats://127.0.0.1:4222',
  dataFolder: '/var/data',
  logFile: '/var/data/log',
};

describe('17.12 what npm start prints', () => {
  it('has the address of the API reference, on the management listener', () => {
    const lines = describeStack(STACK, 'http://127.0.0.1:3000', 'http://127.0.0.1:8090').split('\n');
    expect(lines.find((line) => line.includes('API reference'))).toContain(' http://127.0.0.1:49151/docs ');
    expect(lines.filter((line) => line.includes('127.0.0.1:49152/docs'))).toEqual([]);
  });

  it('begins with the address of the console, where there is one', () => {
    const withConsole = describeStack(STACK, 'http://127.0.0.1:3000', 'http://127.0.0.1:8090');
    expect(withConsole).toMatch(/is running\.\n\n {2}console +http:\/\/127\.0\.0\.1:8090 /);
    expect(describeStack(STACK, 'http://127.0.0.1:3000')).not.toContain('console');
  });

  it('has the type and the issuer for EU wallets, and an offer of each that there is', () => {
    const offers = describeOffers('openid://a', 'openid://b');
    const printed = describeStack(STACK, 'http://127.0.0.1:3000', undefined, offers);
    expect(printed).toContain('eu-identity-card, and the issuer http://127.0.0.1:49152/eudi.');
    expect(printed).toMatch(/any wallet +openid:\/\/a\n +EU wallet +openid:\/\/b /);
    expect(describeOffers('openid://a', undefined)).not.toContain('EU wallet');
    expect(describeOffers(undefined, undefined)).toBe('');
  });

  it('says who can follow the QR code: no phone, while the address is that of this machine', () => {
    for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
      expect(qrCaption(url)).toContain('docs/phone.md');
    }
    for (const url of ['https://wallets.example', 'https://localhost.example']) {
      expect(qrCaption(url)).toContain('for a phone:');
    }
  });

  it('has no password', () => {
    expect(describeStack(STACK, 'http://127.0.0.1:3000')).not.toContain('secret@');
  });
});
