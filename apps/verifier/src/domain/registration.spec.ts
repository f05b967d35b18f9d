import { parseDcqlQuery } from '@vestibule/dcql';
import { registration } from '../testing/registration.fixture-spec';
import { pidQuery } from '../testing/verifier.fixture-spec';
import { chooseRegistration, NO_REGISTRATIONS, type Registrations } from './registration';

function queryOf(...names: string[]) {
  const parsed = parseDcqlQuery({ credentials: [pidQuery({ claims: names.map((name) => ({ path: [name] })) })] });
  if (!parsed.ok) throw new Error('the query is faulty');
  return parsed.query;
}
const login = registration();
const age = registration({ id: 'age', intendedUseId: 'urn:registrar:use:2' });
const several = (more: Partial<Registrations> = {}): Registrations => ({
  policy: 'enforce',
  byDefault: undefined,
  all: [login, age],
  ...more,
});
const [PROPER, EXCEEDING] = [queryOf('given_name'), queryOf('given_name', 'age')];

describe('18.5 the registration of a request', () => {
  it('is none where none is configured, and a name is a fault', () => {
    expect(chooseRegistration(NO_REGISTRATIONS, undefined, EXCEEDING)).toEqual({
      registration: undefined,
      faults: [],
      unregistered: [],
    });
    expect(chooseRegistration(NO_REGISTRATIONS, 'login', PROPER).faults).toMatchObject([{ path: 'intended_use' }]);
  });

  it('is the one that is named by its id or by the registrar, else the default', () => {
    expect(chooseRegistration(several(), 'login', PROPER).registration).toBe(login);
    expect(chooseRegistration(several(), 'urn:registrar:use:2', PROPER).registration).toBe(age);
    expect(chooseRegistration(several({ byDefault: age }), undefined, PROPER).registration).toBe(age);
  });

  it('is the first in the file of several with the same name of the registrar, as while a certificate is renewed', () => {
    const renewed = registration({ id: 'age-2', intendedUseId: 'urn:registrar:use:2' });
    for (const [first, second] of [[renewed, age] as const, [age, renewed] as const]) {
      const chosen = chooseRegistration(several({ all: [login, first, second] }), 'urn:registrar:use:2', PROPER);
      expect(chosen.registration).toBe(first);
    }
  });

  it('is a fault that lists the names where it is unknown, or where several have no default', () => {
    for (const named of ['kyc', undefined]) {
      const { registration: chosen, faults } = chooseRegistration(several(), named, PROPER);
      expect(chosen).toBeUndefined();
      expect(faults).toEqual([{ path: 'intended_use', message: 'must be one of "login", "age"' }]);
    }
  });

  it('is an id before it is a name of the registrar', () => {
    const confusing = registration({ id: 'other', intendedUseId: 'login' });
    expect(chooseRegistration(several({ all: [confusing, login] }), 'login', PROPER).registration).toBe(login);
  });
});

describe('18.5 a request for more than is registered', () => {
  const place = 'dcql_query.credentials[0].claims[1]';

  it('is refused by enforce, reported by report, and not looked at by off', () => {
    const results = (['enforce', 'report', 'off'] as const).map((policy) => {
      const {
        registration: chosen,
        faults,
        unregistered,
      } = chooseRegistration(several({ policy }), 'login', EXCEEDING);
      expect(chosen).toBe(login);
      return [faults, unregistered].map((list) => list.map(({ path }) => path));
    });
    expect(results).toEqual([
      [[place], []],
      [[], [place]],
      [[], []],
    ]);
  });

  it('is not known without a certificate, or without a query that could be read', () => {
    const plain = registration({ credentials: undefined });
    expect(chooseRegistration(several({ all: [plain] }), 'login', EXCEEDING).faults).toEqual([]);
    expect(chooseRegistration(several(), 'login', undefined).faults).toEqual([]);
  });
});
