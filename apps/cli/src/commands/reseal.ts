import type { Command } from '../command';
import { chooseService, runServiceCommand, SERVICE_ARGUMENT } from '../service-program';

export const reseal: Command = {
  name: 'reseal',
  summary: 'puts every sealed record of a service under the first key of SEALING_KEYS',
  actions: [
    {
      name: '',
      about: 'reseals what is under another key, a few pages at a time, while the services run',
      arguments: [SERVICE_ARGUMENT],
      options: {},
      run: ({ arguments: { service }, host }) =>
        runServiceCommand(host, { service: chooseService(host, service), argv: ['reseal'] }),
    },
  ],
  about: [
    'The third step of a rotation of SEALING_KEYS (docs/key-rotation.md): run it when every replica seals with the new\n' +
      'key. It can be stopped and started again. When it ends with exit code 0, the other keys can be removed.',
    'The service needs its whole environment, as when it starts. In the image of a service, <service> may be left out.',
  ],
  examples: [
    ['docker compose exec issuer vestibule reseal', 'reseals the records of the issuer'],
    ['vestibule reseal verifier', 'in a checkout, with the environment of the verifier'],
  ],
};
