import { optionalVariable, variable } from './configuration';
import { secondsSetting, textSetting } from './settings';

/** The settings of a service that reads lists of trusted entities. */
export const trustedListVariables = {
  trustedListsFolder: optionalVariable('TRUSTED_LISTS_FOLDER', textSetting(), {
    category: 'Trust',
    description:
      'Folder for the last good copy of each list of trusted entities, so that a start while its host is unreachable begins with it; one folder per process. Not set: copies are kept in memory only',
  }),
  trustedListsRefreshSeconds: variable('TRUSTED_LISTS_REFRESH_SECONDS', secondsSetting(60, 86_400), {
    category: 'Trust',
    description: 'How often lists of trusted entities are fetched, give or take a tenth',
    default: '3600',
  }),
  trustedListsGraceSeconds: variable('TRUSTED_LISTS_GRACE_SECONDS', secondsSetting(0, 2_592_000), {
    category: 'Trust',
    description:
      'How long a list of trusted entities is used after its next update was due while no newer one can be fetched; after that nobody is trusted on its word',
    default: '86400',
  }),
};
