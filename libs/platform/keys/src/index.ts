export { parseKeyDescription, type KeyDescription, type RemoteDescription } from './description';
export type { RemoteKey } from './device';
export { KEY_ERRORS } from './failures';
export { createKeyring, usingKeyring, type Keyring } from './keyring';
export { createReloading, createReloadStatus, type Reloading, type ReloadStatus } from './reloading';
export { trackFiles, type FileReader } from './tracked-files';
export { createSealingKeyDevices } from './sealing-keys';
export { KEYRING, KeyringModule } from './keyring.module';
