import { variable } from './configuration';
import { secondsSetting } from './settings';

/** The settings of a service that reads status lists (Token Status List). */
export const statusListVariables = {
  statusListMaxAgeSeconds: variable('STATUS_LIST_MAX_AGE_SECONDS', secondsSetting(300, 31_536_000), {
    category: 'Trust',
    description:
      'How long after its iat a status list is accepted, also where its exp is later or missing: so old is what somebody could replay to a process that has not seen a newer one',
    default: '2592000',
  }),
};
