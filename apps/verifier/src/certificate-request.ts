import { usingKeyring } from '@vestibule/keys';
import { readConfigurationFile, type Configuration, type ServiceContext } from '@vestibule/process';
import { certificateRequestCommand } from '@vestibule/x509-trust';
import type { verifierConfiguration } from './config';

type Context = ServiceContext<Configuration<typeof verifierConfiguration>>;

/** The command `csr`: prints a certification request for a key of this service. */
export async function certificateRequest({ configuration, logger }: Context): Promise<void> {
  const pem = await usingKeyring(logger, ({ open: openKey }) =>
    certificateRequestCommand(process.argv.slice(3), {
      keys: { access: { variable: 'ACCESS_KEY', key: configuration.accessKey } },
      openKey,
      readFile: readConfigurationFile,
    }),
  );
  process.stdout.write(pem);
}
