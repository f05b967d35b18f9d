import { usingKeyring } from '@vestibule/keys';
import { readConfigurationFile, type Configuration, type ServiceContext } from '@vestibule/process';
import { certificateRequestCommand } from '@vestibule/x509-trust';
import type { issuerConfiguration } from './config';

type Context = ServiceContext<Configuration<typeof issuerConfiguration>>;

/** The command `csr`: prints a certification request for a key of this service. */
export async function certificateRequest({ configuration, logger }: Context): Promise<void> {
  const pem = await usingKeyring(logger, ({ open: openKey }) =>
    certificateRequestCommand(process.argv.slice(3), {
      keys: {
        access: { variable: 'ISSUER_ACCESS_KEY', key: configuration.accessKey },
        issuer: { variable: 'ISSUER_KEY', key: configuration.key, uri: configuration.issuerUrl },
      },
      openKey,
      readFile: readConfigurationFile,
    }),
  );
  process.stdout.write(pem);
}
