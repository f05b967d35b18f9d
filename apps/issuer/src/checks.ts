import { callbackCheck } from '@vestibule/callbacks';
import { egressProxyCheck } from '@vestibule/egress';
import { BUS_SUBJECTS, OUTCOME_ERRORS } from '@vestibule/contracts';
import { KEY_ERRORS, usingKeyring, type Keyring } from '@vestibule/keys';
import { busCheck } from '@vestibule/messaging';
import { ISSUER_CONFIGURATION_ERRORS } from '@vestibule/oid4vci';
import { databaseCheck } from '@vestibule/persistence';
import { endFindings, finding, type Check, type CheckContext, type Configuration } from '@vestibule/process';
import { X509_CONFIGURATION_FAULTS } from '@vestibule/x509-trust';
import { reportTypes } from './adapters/files/report-types';
import { readTypeMetadataFolder } from './adapters/files/type-metadata-folder';
import { readEgressAuthorities } from './adapters/http/egress-authorities';
import { readAccessKey } from './adapters/keys/access-key';
import { currentOf } from './adapters/keys/follow-issuer-keys';
import { readRetiredIssuerKey, type IssuerKey } from './adapters/keys/issuer-key';
import { readRetiredIssuerKeys } from './adapters/keys/issuer-keys';
import { ISSUER_DATABASE } from './adapters/postgres/database';
import { findings } from './adapters/postgres/overdue';
import type { issuerConfiguration } from './config';
import { issuerSettings, issuerUrlOf } from './issuer-settings';
import type { AttesterLists } from './adapters/lists/attester-lists';
import { readAttesters } from './wallet-demands';

type Values = Configuration<typeof issuerConfiguration>;
type Context = CheckContext<Values>;

/** The keys that may sign credentials, the current one first; throws a configuration fault if it may not sign now. */
function keysOf({ configuration, clock }: Context, { open: openKey }: Keyring): readonly [IssuerKey, ...IssuerKey[]] {
  const { certificateFile, key, certificatesFolder: folder } = configuration;
  const how = { issuerUrl: issuerUrlOf(configuration), openKey };
  const further = folder === undefined ? [] : readRetiredIssuerKeys(folder, how);
  const signing = [readRetiredIssuerKey({ certificateFile, key, ...how }), ...further] as const;
  const current = currentOf({ signing }, clock());
  current.signerAt(clock());
  return [current, ...signing.filter((one) => one !== current)];
}

function retiredOf({ configuration }: Context, { open: openKey }: Keyring): readonly IssuerKey[] {
  const { retiredCertificatesFolder: folder } = configuration;
  return folder === undefined ? [] : readRetiredIssuerKeys(folder, { issuerUrl: issuerUrlOf(configuration), openKey });
}

const typesOf = ({ configuration }: Context) =>
  readTypeMetadataFolder(configuration.typeMetadataFolder, issuerUrlOf(configuration));

const issuerCertificate: Check<Values> = {
  name: 'issuer certificate',
  errors: { ...X509_CONFIGURATION_FAULTS, ...KEY_ERRORS, ...OUTCOME_ERRORS },
  run: (context) =>
    usingKeyring(context.logger, async (keyring) => {
      const [key, ...further] = keysOf(context, keyring);
      retiredOf(context, keyring);
      await Promise.all([key, ...further].map((one) => one.check()));
      return [
        ...(key.namesIssuer ? [] : [finding('issuer_name_missing', context.configuration.issuerUrl)]),
        ...endFindings('the chain of the issuer', key.chainEndsAt, context.clock()),
      ];
    }),
};

const credentialTypes: Check<Values> = {
  name: 'credential types',
  errors: ISSUER_CONFIGURATION_ERRORS,
  run(context) {
    reportTypes(typesOf(context), context.logger);
    return [];
  },
};

const UNFETCHED_LISTS: AttesterLists = {
  anchors: () => [],
  isTried: () => false,
  firstEnd: () => undefined,
  close: () => Promise.resolve(),
};

/** Attesters, batches and documents: everything that follows from types and key together. */
const settings: Check<Values> = {
  name: 'settings',
  errors: { ...ISSUER_CONFIGURATION_ERRORS, ...X509_CONFIGURATION_FAULTS, ...KEY_ERRORS },
  async run(context) {
    const { configuration, clock, logger } = context;
    await usingKeyring(logger, async (keyring) => {
      const [types, [key, ...further]] = [typesOf(context), keysOf(context, keyring)];
      const needed = types.issuers.find(({ identity }) => identity.profile === 'eudi')?.identity.url;
      const all = [key, ...further, ...retiredOf(context, keyring)];
      const certified = () => all;
      const access = readAccessKey(configuration, { needed, certified, openKey: keyring.open, clock, logger });
      await access?.check();
      // A check reads files and fetches nothing.
      const attesters = await readAttesters(configuration, logger, () => UNFETCHED_LISTS);
      issuerSettings(configuration, { types, attesters, keys: { current: key, retired: [] }, clock, logger });
    });
    return [];
  },
};

/** What `vestibule doctor issuer` checks. */
export const ISSUER_CHECKS: readonly Check<Values>[] = [
  issuerCertificate,
  credentialTypes,
  settings,
  databaseCheck<Values>({ service: ISSUER_DATABASE, more: findings }),
  busCheck({ name: 'issuer', answered: BUS_SUBJECTS.issuer }),
  egressProxyCheck<Values>(({ egressCaFile: file }) => (file === undefined ? [] : readEgressAuthorities(file))),
  callbackCheck,
];
