import type { RemoteDescription } from './description';
import type { RemoteKey } from './device';
import { openAwsKmsKey } from './providers/aws-kms';
import { openAzureKey } from './providers/azure-key-vault';
import { openGcpKmsKey } from './providers/gcp-kms';
import { openHttpsKey } from './providers/https';
import { openPkcs11Key } from './providers/pkcs11';
import { openVaultTransitKey } from './providers/vault-transit';

/** The key of a description; the device is asked only when it is used. */
export function openRemoteKey(described: RemoteDescription): RemoteKey {
  switch (described.provider) {
    case 'pkcs11':
      return openPkcs11Key(described);
    case 'vault-transit':
      return openVaultTransitKey(described);
    case 'https':
      return openHttpsKey(described);
    case 'aws-kms':
      return openAwsKmsKey(described);
    case 'gcp-kms':
      return openGcpKmsKey(described);
    case 'azure-key-vault':
      return openAzureKey(described);
  }
}
