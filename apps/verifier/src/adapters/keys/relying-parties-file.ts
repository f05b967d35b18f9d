import path from 'node:path';
import { judge } from '@vestibule/contracts';
import {
  DomainError,
  parseJsonBytes,
  unreadableJsonFaults,
  urlFault,
  type Fault,
  type JsonObject,
} from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';
import { z } from 'zod';
import { NO_REGISTRATIONS, type Registrations } from '../../domain/registration';
import type { AccessCertificates } from './access-certificate';
import { readAccessPair, type AccessCertificateFiles, type ReadingContext } from './access-certificate-files';
import { accessCertificatesOf } from './access-certificate';
import { readRegistrationFile } from './registration-file';
import type { FileReader } from '@vestibule/keys';

/** Names are labels of metrics. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

const fileName = z.string().min(1).max(1_024);
const logo = z.string().superRefine((text, context) => {
  const message = urlFault(text, { schemes: ['https'] });
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const relyingParty = z
  .strictObject({
    name: z.string().regex(NAME, 'must be lower-case letters, digits and hyphens, at most 63'),
    /** Pairs of files; absent: the access certificates of the installation, as an intermediary. */
    accessCertificates: z
      .array(z.strictObject({ certificate: fileName, key: fileName }))
      .min(1)
      .max(10)
      .optional(),
    /** A registration file. */
    registrations: fileName.optional(),
    clientName: z.string().min(1).max(200).optional(),
    logoUri: logo.optional(),
  })
  .refine((item) => item.accessCertificates !== undefined || item.registrations !== undefined, {
    message: 'needs access certificates, registrations or both',
  });

const relyingPartiesFile = z.strictObject({ relyingParties: z.array(relyingParty).min(1).max(100) });
type Item = z.infer<typeof relyingParty>;

const MEMBERS = [
  'relyingParties',
  'name',
  'accessCertificates',
  'certificate',
  'key',
  'registrations',
  'clientName',
  'logoUri',
];

/** A relying party as its files have it. */
export interface ConfiguredParty {
  readonly name: string;
  /** Undefined: those of the installation. */
  readonly certificates: AccessCertificates | undefined;
  readonly registrations: Registrations;
  readonly clientMetadata: JsonObject;
}

/** How the file and what it names are read. */
export type PartyReading = ReadingContext & Pick<AccessCertificateFiles, 'allowSelfSigned' | 'openKey'>;

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({
    kind: 'internal',
    code: 'relying_parties_file_invalid',
    detail: `${file}: ${list}`,
    faults,
  });
}

function readJson(file: string, files: FileReader): unknown {
  const fail = (message: string) => invalid(file, [{ path: 'file', message }]);
  const bytes = readConfigurationFile(file, fail, (one) => files.read(one));
  const value = parseJsonBytes(bytes);
  const notJson = { path: 'file', message: 'is not JSON, or repeats a member name' };
  if (value === undefined) throw invalid(file, unreadableJsonFaults(bytes, notJson));
  return value;
}

function readParty(file: string, item: Item, context: PartyReading): ConfiguredParty {
  const resolved = (name: string) => path.resolve(path.dirname(file), name);
  const pairs = item.accessCertificates?.map(({ certificate, key }) =>
    readAccessPair(resolved(certificate), resolved(key), context),
  );
  const { clientName, logoUri, registrations } = item;
  return {
    name: item.name,
    certificates: pairs && accessCertificatesOf(pairs),
    registrations:
      registrations === undefined ? NO_REGISTRATIONS : readRegistrationFile(resolved(registrations), context.files),
    clientMetadata: {
      ...(clientName === undefined ? {} : { client_name: clientName }),
      ...(logoUri === undefined ? {} : { logo_uri: logoUri }),
    },
  };
}

function readEach(file: string, items: readonly Item[], context: PartyReading) {
  const faults: Fault[] = [];
  const parties = items.flatMap((item, index) => {
    const place = `relyingParties[${index}]`;
    if (items.findIndex(({ name }) => name === item.name) < index)
      faults.push({ path: `${place}.name`, message: 'must be unique' });
    try {
      return readParty(file, item, context);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      faults.push({ path: place, message: `cannot be used: ${error.detail}` });
      return [];
    }
  });
  if (faults.length > 0) throw invalid(file, faults);
  return parties;
}

/**
 * Reads the relying parties beside the default one: a JSON file that names, for each, its access certificates with their
 * keys and its registration file, relative to itself. An expired certificate is no fault: only the requests of its party
 * fail. Throws `relying_parties_file_invalid` with every fault.
 */
export function readRelyingPartiesFile(file: string, context: PartyReading): readonly ConfiguredParty[] {
  const { value, faults } = judge(relyingPartiesFile, readJson(file, context.files), { names: MEMBERS, isBody: false });
  if (!value) throw invalid(file, faults);
  return readEach(file, value.relyingParties, context);
}
