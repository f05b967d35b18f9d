import type { Command, Input } from '../command';
import { CERTIFIED_ARGUMENT, chooseCertified, runServiceCommand } from '../service-program';

function run({ arguments: { service }, options, host }: Input): Promise<number> {
  const passedOn = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return runServiceCommand(host, { service: chooseCertified(host, service), argv: ['csr', ...passedOn], quiet: true });
}

export const csr: Command = {
  name: 'csr',
  summary: 'makes a certification request for a key of a service, also for one in an HSM or KMS',
  actions: [
    {
      name: '',
      about: 'prints the request (PKCS#10, PEM), signed with the key that the configuration of the service names',
      arguments: [CERTIFIED_ARGUMENT],
      options: {
        for: { value: 'access|issuer', required: true, about: 'the certificate that is asked for' },
        subject: { value: 'NAME', required: true, about: "such as 'CN=Shop, O=Shop\\, Inc., C=DE', in this order" },
        dns: { value: 'HOST,…', about: 'host names' },
        uri: { value: 'URL,…', about: 'web addresses; for the issuer, ISSUER_URL if there are none' },
        email: { value: 'ADDRESS,…', about: 'email addresses' },
        'key-file': { value: 'FILE', about: 'another key, PEM or a key description: for a rotation' },
      },
      run,
    },
  ],
  about: [
    'access asks for the certificate that says who you are to wallets: ACCESS_KEY of the verifier, ISSUER_ACCESS_KEY of the\n' +
      'issuer. issuer asks for the one of credentials and status lists: ISSUER_KEY. The private key stays where it is. The\n' +
      'certificate itself need not exist yet. See docs/keys.md.',
    'The service needs its whole environment, as when it starts. In the image of a service, <service> may be left out.',
  ],
  examples: [
    [
      'docker compose run --rm verifier vestibule csr --for access --subject CN=Shop,O=Shop,C=DE',
      'asks for an access certificate; docs/keys.md has one with all that wallets want',
    ],
    ['vestibule csr issuer --for issuer --subject CN=City,C=DE', 'in a checkout, with the environment of the issuer'],
  ],
};
