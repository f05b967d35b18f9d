import { variable } from './configuration';
import { sealingKeysSetting } from './settings';

/** In place of a key: what follows names a file. No raw key has a colon. */
export const WRAPPED = 'wrapped:';

/** The entries of `SEALING_KEYS`. */
export const sealingEntries = (text: string | undefined): readonly string[] =>
  text?.split(',').map((item) => item.trim()) ?? [];

/** Is there one among them that a device has to unwrap? */
export const namesWrappedKeys = (text: string | undefined): boolean =>
  sealingEntries(text).some((entry) => entry.startsWith(WRAPPED));

/** The keys of a service that seals records. */
export const sealingVariables = {
  sealingKeys: variable('SEALING_KEYS', sealingKeysSetting(), {
    category: 'Data protection',
    description:
      'Comma-separated 32-byte keys (base64url) that seal personal data at rest; the first one seals, all of them open. In place of a key, wrapped:<file> names one that a device unwraps at startup (keys.md). A key that begins with development- is accepted on loopback only',
    secret: true,
  }),
};
