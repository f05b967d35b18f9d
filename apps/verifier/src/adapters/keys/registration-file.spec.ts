import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { printedJson } from '@vestibule/testkit';
import { registrationJwt } from '../../testing/registration.fixture-spec';
import { failsWith } from '../../testing/verifier.fixture-spec';
import { readRegistrationFile } from './registration-file';
import { trackFiles } from '@vestibule/keys';

const folder = mkdtempSync(path.join(tmpdir(), 'registration-'));
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const JWT = registrationJwt({ intended_use_id: 'use-1', exp: 1_900_000_000 });
beforeAll(() => {
  write('login.jwt', `${JWT}\n`);
  write('broken.jwt', 'x.y.z');
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(content: unknown) {
  write('registration.json', typeof content === 'string' ? content : JSON.stringify(content));
  return readRegistrationFile(path.join(folder, 'registration.json'), trackFiles());
}
function faultsOf(content: unknown) {
  try {
    read(content);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error).toEqual(failsWith('registration_file_invalid'));
    return error.faults.map((fault) => fault.path);
  }
  throw new Error('nothing was wrong');
}
const login = { id: 'login', certificate: 'login.jwt' };

describe('18.5 a registration file', () => {
  it('may be the one that docs/registration.md prints', () => {
    write('kyc.jwt', JWT);
    const [sample] = printedJson('registration.md');
    expect(read(sample)).toMatchObject({ policy: 'enforce', byDefault: { id: 'login' }, all: [{}, { id: 'kyc' }] });
  });

  it('has certificates beside it; the only one is the default, and enforced', () => {
    const { policy, byDefault, all } = read({ registrations: [login] });
    expect(policy).toBe('enforce');
    expect(byDefault).toBe(all[0]);
    expect(all).toMatchObject([
      {
        id: 'login',
        intendedUseId: 'use-1',
        verifierInfo: [{ format: 'registration_cert', data: JWT }],
        expiresAt: new Date(1_900_000_000_000),
      },
    ]);
    expect(all[0]?.credentials).toHaveLength(1);
  });

  it('may have the dataset of the registrar, with or without a certificate', () => {
    const dataset = { registryURI: 'https://registry.example', purpose: [{ lang: 'en', value: 'Log in' }] };
    const element = { format: 'registrar_dataset', data: dataset };
    const { all, byDefault } = read({
      registrations: [
        { ...login, dataset },
        { id: 'age', dataset },
      ],
    });
    expect(all.map(({ verifierInfo }) => verifierInfo)).toEqual([
      [element, { format: 'registration_cert', data: JWT }],
      [element],
    ]);
    expect([byDefault, all[1]?.credentials]).toEqual([undefined, undefined]);
  });

  it('names the default of several', () => {
    const two = [login, { ...login, id: 'age' }];
    expect(read({ default: 'age', policy: 'report', registrations: two })).toMatchObject({
      policy: 'report',
      byDefault: { id: 'age' },
    });
  });

  it.each([
    ['no JSON', '{', ['file']],
    ['a repeated member', '{"registrations":[],"registrations":[]}', ['file']],
    ['no registration', { registrations: [] }, ['registrations']],
    ['an unknown member', { registrations: [login], polcy: 'off' }, ['polcy']],
    ['an unknown policy', { registrations: [login], policy: 'warn' }, ['policy']],
    ['nothing to send', { registrations: [{ id: 'login' }] }, ['registrations[0]']],
    ['a dataset that is no object', { registrations: [{ id: 'a', dataset: [] }] }, ['registrations[0].dataset']],
    ['no such file', { registrations: [{ id: 'a', certificate: 'none.jwt' }] }, ['registrations[0].certificate']],
    [
      'a broken certificate',
      { registrations: [{ id: 'a', certificate: 'broken.jwt' }] },
      ['registrations[0].certificate'],
    ],
    ['a name twice', { registrations: [login, login] }, ['registrations[1].id']],
    ['a default that is not there', { default: 'x', registrations: [login] }, ['default']],
  ])('is refused with %s', (_what, content, paths) => {
    expect(faultsOf(content)).toEqual(paths);
  });
});
