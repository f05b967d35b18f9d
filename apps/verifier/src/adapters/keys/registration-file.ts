import path from 'node:path';
import { judge } from '@vestibule/contracts';
import {
  DomainError,
  isJsonObject,
  parseJsonBytes,
  unreadableJsonFaults,
  type Fault,
  type JsonObject,
} from '@vestibule/foundation';
import { parseRegistrationCertificate, type RegistrationCertificate } from '@vestibule/oid4vp';
import { readConfigurationFile } from '@vestibule/process';
import { z } from 'zod';
import { REGISTRATION_POLICIES, type Registration, type Registrations } from '../../domain/registration';
import type { FileReader } from '@vestibule/keys';

const name = z.string().min(1).max(256);
const dataset = z.custom<JsonObject>(isJsonObject, 'must be an object');

const registration = z
  .strictObject({ id: name, certificate: z.string().min(1).optional(), dataset: dataset.optional() })
  .refine((item) => item.certificate !== undefined || item.dataset !== undefined, {
    message: 'needs a certificate, a dataset or both',
  });

const registrationFile = z.strictObject({
  policy: z.enum(REGISTRATION_POLICIES).default('enforce'),
  default: name.optional(),
  registrations: z.array(registration).min(1).max(100),
});
type Item = z.infer<typeof registration>;

const MEMBERS = ['policy', 'default', 'registrations', 'id', 'certificate', 'dataset'];

function invalid(file: string, faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'registration_file_invalid', detail: `${file}: ${list}`, faults });
}

function readJson(file: string, files: FileReader): unknown {
  const fail = (message: string) => invalid(file, [{ path: 'file', message }]);
  const bytes = readConfigurationFile(file, fail, (one) => files.read(one));
  const value = parseJsonBytes(bytes);
  const notJson = { path: 'file', message: 'is not JSON, or repeats a member name' };
  if (value === undefined) throw invalid(file, unreadableJsonFaults(bytes, notJson));
  return value;
}

function readCertificate(file: string, place: string, named: string, files: FileReader): RegistrationCertificate {
  const fail = (message: string) => invalid(file, [{ path: place, message }]);
  const bytes = readConfigurationFile(path.resolve(path.dirname(file), named), fail, (one) => files.read(one));
  const parsed = parseRegistrationCertificate(Buffer.from(bytes).toString('utf8'));
  if (parsed.ok) return parsed.certificate;
  const faults = parsed.faults.map(({ path: inside, message }) => ({
    path: place,
    message: `${inside} ${message}`.trim(),
  }));
  throw invalid(file, faults);
}

/** The certificate is not bound to single credentials: its element has no `credential_ids` (ETSI TS 119 472-2). */
function readRegistration(file: string, item: Item, index: number, files: FileReader): Registration {
  const place = `registrations[${index}].certificate`;
  const certificate =
    item.certificate === undefined ? undefined : readCertificate(file, place, item.certificate, files);
  return {
    id: item.id,
    intendedUseId: certificate?.intendedUseId,
    verifierInfo: [
      ...(item.dataset === undefined ? [] : [{ format: 'registrar_dataset', data: item.dataset }]),
      ...(certificate === undefined ? [] : [{ format: 'registration_cert', data: certificate.jwt }]),
    ],
    credentials: certificate?.credentials,
    expiresAt: certificate?.expiresAt,
  };
}

function repeatedNames(all: readonly Registration[]): Fault[] {
  return all.flatMap(({ id }, index) =>
    all.findIndex((other) => other.id === id) < index
      ? [{ path: `registrations[${index}].id`, message: 'must be unique' }]
      : [],
  );
}

/**
 * Reads the registrations of this relying party: a JSON file that names registration certificates (relative to itself)
 * and datasets of the registrar, which of them requests use by default, and what happens to requests that ask for more
 * than is registered. Throws `registration_file_invalid` with every fault.
 */
export function readRegistrationFile(file: string, files: FileReader): Registrations {
  const { value, faults } = judge(registrationFile, readJson(file, files), { names: MEMBERS, isBody: false });
  if (!value) throw invalid(file, faults);
  const all = value.registrations.map((item, index) => readRegistration(file, item, index, files));
  const named = all.find(({ id }) => id === value.default);
  const wrong = repeatedNames(all);
  if (value.default !== undefined && !named)
    wrong.push({ path: 'default', message: 'must be the id of a registration' });
  if (wrong.length > 0) throw invalid(file, wrong);
  return { policy: value.policy, byDefault: named ?? (all.length === 1 ? all[0] : undefined), all };
}
