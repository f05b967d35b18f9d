import {
  createCertificateAuthority,
  DEVELOPMENT_OPERATOR,
  signTrustedList,
  trustedListPayload,
} from '@vestibule/dev-pki';
import type { JsonObject } from '@vestibule/foundation';
import { parseCertificate } from '@vestibule/x509-trust';
import { listedAnchors, type TrustedListRules } from './index';
import {
  after,
  createScheme,
  failsWith,
  listDraft,
  NOW,
  pidService,
  profileOf,
  rulesOf,
  signedList,
  verifyTrustedList,
  type Scheme,
} from './trusted-list.fixture-spec';

let scheme: Scheme;
beforeAll(async () => {
  scheme = await createScheme();
});

const draft = () => listDraft([pidService(scheme)]);

describe('the version of a list', () => {
  const at = (more: object, rules: Partial<TrustedListRules> = {}) =>
    verifyTrustedList(signedList(scheme, { ...draft(), ...more }), rulesOf(scheme, rules));

  it('EU:T2 never goes back, neither by its sequence number nor by its date', () => {
    const previous = { sequence: 7, issuedAt: after(-10) };
    expect(at({}, { previous }).sequence).toBe(7);
    expect(at({ sequence: 8 }, { previous }).sequence).toBe(8);
    expect(at({ issuedAt: after(-9) }, { previous }).sequence).toBe(7);
    const older = [{ sequence: 6 }, { issuedAt: after(-11) }, { sequence: 8, issuedAt: after(-11) }];
    for (const more of older) expect(() => at(more, { previous })).toThrow(failsWith('trusted_list_rolled_back'));
  });

  it('EU:T3 is out of date once its next update is overdue, after a grace time', () => {
    expect(() => at({ nextUpdateAt: after(-1) })).toThrow(failsWith('trusted_list_out_of_date'));
    const graceSeconds = 2 * 86_400;
    expect(at({ nextUpdateAt: after(-1) }, { graceSeconds }).usableUntil).toEqual(after(1));
    expect(() => at({ nextUpdateAt: after(-2) }, { graceSeconds })).toThrow(failsWith('trusted_list_out_of_date'));
  });

  it('is out of date by a next update that lies before its issue, and ends when its type says if that is sooner', () => {
    const far = { issuedAt: after(-10), nextUpdateAt: after(175) };
    expect(at(far).usableUntil).toEqual(after(174));
    expect(() => at(far, { now: after(174) })).toThrow(failsWith('trusted_list_out_of_date'));
    expect(() => at({ nextUpdateAt: after(-10) }, { graceSeconds: 1e6 })).toThrow(
      failsWith('trusted_list_out_of_date'),
    );
    const { maxUpdateDays: _, ...profile } = profileOf('EUPIDProvidersList');
    expect(at(far, { profile }).sequence).toBe(7);
  });

  it('is not believed for longer than the certificate of its signer is valid', async () => {
    const signer = await scheme.authority.issue({ name: 'List Signer', notAfter: after(3) });
    const bytes = signedList(scheme, draft(), { signer });
    const rules = rulesOf(scheme, { signers: [parseCertificate(signer.certificate)] });
    expect(verifyTrustedList(bytes, rules).usableUntil).toEqual(new Date(after(3).getTime() + 60_000));
  });

  it.each(['itself', 'the signer'])(
    'EU:T7 is read once %s has ended if it was used before, and trusts nobody',
    async (who) => {
      const notAfter = after(who === 'itself' ? 50 : 3);
      const signer = await scheme.authority.issue({
        name: 'List Signer',
        organization: DEVELOPMENT_OPERATOR,
        notAfter,
      });
      const bytes = signedList(scheme, draft(), { signer });
      const rules = rulesOf(scheme, { now: after(40), operator: DEVELOPMENT_OPERATOR });
      for (const signers of [
        [parseCertificate(signer.certificate)],
        [parseCertificate(scheme.authority.certificate)],
      ]) {
        const kept = { ...rules, signers, mayHaveEnded: true };
        const list = verifyTrustedList(bytes, kept);
        expect([list.sequence, listedAnchors(list, { id: 'pid' }, after(40)).anchors]).toEqual([7, []]);
        expect(() => verifyTrustedList(bytes, { ...kept, mayHaveEnded: false })).toThrow(
          failsWith(who === 'itself' ? 'trusted_list_out_of_date' : 'trusted_list_signer_unknown'),
        );
      }
      const stranger = await createCertificateAuthority({ name: 'Scheme Root', now: NOW });
      const signers = [parseCertificate(stranger.certificate)];
      expect(() => verifyTrustedList(bytes, { ...rules, signers, mayHaveEnded: true })).toThrow(
        failsWith('trusted_list_signer_unknown'),
      );
    },
  );

  it('must not be issued in the future', () => {
    expect(at({ issuedAt: new Date(NOW.getTime() + 60_000) }).sequence).toBe(7);
    expect(() => at({ issuedAt: new Date(NOW.getTime() + 61_000) })).toThrow(failsWith('trusted_list_not_yet_issued'));
  });

  it('may be the last one: a closed list is never out of date', () => {
    expect(at({ nextUpdateAt: null, issuedAt: after(-1000) }).nextUpdateAt).toBeUndefined();
  });
});

describe('the content of a list', () => {
  type Members = Record<string, unknown>;
  const scheming = (payload: JsonObject) =>
    (payload['LoTE'] as JsonObject)['ListAndSchemeInformation'] as unknown as Members;

  const EMPTY = { ServiceDigitalIdentity: {} };
  const entityOf = (payload: JsonObject) =>
    ((payload['LoTE'] as unknown as Members)['TrustedEntitiesList'] as Members[])[0] as Members;
  const aboutOf = (payload: JsonObject) => entityOf(payload)['TrustedEntityInformation'] as Members;
  const servicesOf = (payload: JsonObject) => entityOf(payload)['TrustedEntityServices'] as Members[];
  const recordOf = (payload: JsonObject) => servicesOf(payload)[0]?.['ServiceInformation'] as Members;
  /** The history of the service: one record that is right but for `changes`. */
  const withHistory = (payload: JsonObject, changes: Members) => {
    const record = { ...EMPTY, ServiceStatus: 'urn:x', StatusStartingTime: '2026-01-01T00:00:00Z', ...changes };
    recordOf(payload)['StatusStartingTime'] = '2026-02-01T00:00:00Z';
    (servicesOf(payload)[0] as Members)['ServiceHistory'] = [record];
  };

  const readText = (text: string, rules: Partial<TrustedListRules> = {}) =>
    verifyTrustedList(
      Buffer.from(signTrustedList(text, { signer: scheme.signer, signedAt: NOW })),
      rulesOf(scheme, rules),
    );

  /** The right payload after `change`, signed; what `change` returns is nothing. */
  function read(change: (payload: JsonObject) => unknown, rules: Partial<TrustedListRules> = {}) {
    const payload = trustedListPayload(draft());
    change(payload);
    return readText(JSON.stringify(payload), rules);
  }

  it.each([['EUWalletProvidersList'], ['EUWRPACProvidersList'], ['EUPubEAAProvidersList']])(
    'EU:T6 is refused where a list of another type is configured: %s',
    (name) => {
      expect(() =>
        verifyTrustedList(signedList(scheme, draft()), rulesOf(scheme, { profile: profileOf(name) })),
      ).toThrow(failsWith('trusted_list_type_mismatch'));
    },
  );

  it.each<[string, (payload: JsonObject) => unknown]>([
    ['no LoTE', (payload) => delete payload['LoTE']],
    ['another version of the syntax', (payload) => (scheming(payload)['LoTEVersionIdentifier'] = 2)],
    ['a sequence number that is not whole', (payload) => (scheming(payload)['LoTESequenceNumber'] = 1.5)],
    ['a sequence number that is a text', (payload) => (scheming(payload)['LoTESequenceNumber'] = '7')],
    ['a sequence number below 0', (payload) => (scheming(payload)['LoTESequenceNumber'] = -1)],
    ['no next update', (payload) => delete scheming(payload)['NextUpdate']],
    ['a date without a time', (payload) => (scheming(payload)['NextUpdate'] = '2026-03-05')],
    ['a type that is not a text', (payload) => (scheming(payload)['LoTEType'] = 1)],
    ['no name of the operator', (payload) => (scheming(payload)['SchemeOperatorName'] = [])],
    ['no SchemeOperatorName', (payload) => delete scheming(payload)['SchemeOperatorName']],
    ['a name of the operator that is no text', (payload) => (scheming(payload)['SchemeOperatorName'] = [{ value: 7 }])],
    ['an entity without a name', (payload) => delete aboutOf(payload)['TEName']],
    ['an entity without services', (payload) => delete entityOf(payload)['TrustedEntityServices']],
    ['services that are no list', (payload) => (entityOf(payload)['TrustedEntityServices'] = { length: 1 })],
    ['a start that is no time', (payload) => (recordOf(payload)['StatusStartingTime'] = '2026-02-30T00:00:00Z')],
    ['a start that is no text', (payload) => (recordOf(payload)['StatusStartingTime'] = null)],
    ['a status that is no text', (payload) => (recordOf(payload)['ServiceStatus'] = ['urn:x'])],
    [
      'a certificate that is no text',
      (payload) => (recordOf(payload)['ServiceDigitalIdentity'] = { X509Certificates: [{ val: 7 }] }),
    ],
    ['history without a start', (payload) => withHistory(payload, { StatusStartingTime: undefined })],
    ['history without a status', (payload) => withHistory(payload, { ServiceStatus: undefined })],
    ['an empty list', (payload) => ((payload['LoTE'] as JsonObject)['TrustedEntitiesList'] = [])],
  ])('is malformed with %s', (_, change) => {
    expect(() => read(change)).toThrow(failsWith('trusted_list_malformed'));
  });

  it.each<[string, (text: string) => string]>([
    ['an array', (text) => `[${text}]`],
    ['the content of LoTE alone', (text) => JSON.stringify((JSON.parse(text) as JsonObject)['LoTE'])],
    ['two members of one name', (text) => text.replace('{', '{"LoTE":1,')],
    ['a number that cannot be represented', (text) => text.replace(':7,', ':70000000000000000001,')],
  ])('is malformed as %s', (_, change) => {
    const text = JSON.stringify(trustedListPayload(draft()));
    expect(readText(text).sequence).toBe(7);
    expect(() => readText(change(text))).toThrow(failsWith('trusted_list_malformed'));
  });

  it('may have the number 0, and history that is whole', () => {
    expect(read((payload) => (scheming(payload)['LoTESequenceNumber'] = 0))).toMatchObject({ sequence: 0 });
    expect(read((payload) => withHistory(payload, {}))).toMatchObject({ sequence: 7, ignored: 0 });
  });

  it('trusts nobody of an entity with a critical extension, and all of one with another', () => {
    const extended = (extension: object) => {
      const list = read((payload) => (aboutOf(payload)['TEInformationExtensions'] = [extension]));
      return [listedAnchors(list, { id: 'pid' }, NOW).anchors.length, list.ignored];
    };
    const marks = [true, 'true', 'false', 1, null].flatMap((mark) => [{ critical: mark }, { Critical: mark }]);
    expect(marks.map(extended)).toEqual(marks.map(() => [0, 1]));
    expect([{ critical: false }, { Critical: false }, {}].map(extended)).toEqual([1, 2, 3].map(() => [1, 0]));
  });

  it('has only the well-formed names of its scheme, and needs none where none is configured', () => {
    const value = 'PID';
    for (const [names, isNamed] of [
      [undefined, false],
      ['PID', false],
      [[], false],
      [['PID'], false],
      [[{ lang: 'en', value: 7 }], false],
      [[{ lang: 'en', value: 'P'.repeat(1_025) }], false],
      [
        [
          { lang: 'de', value: null },
          { lang: 'en', value },
        ],
        true,
      ],
    ] as const) {
      const change = (payload: JsonObject) => void (scheming(payload)['SchemeName'] = names);
      expect(read(change)).toMatchObject({ sequence: 7, schemeNames: isNamed ? [value] : [] });
      if (isNamed) expect(read(change, { schemeName: value })).toMatchObject({ sequence: 7 });
      else expect(() => read(change, { schemeName: value })).toThrow(failsWith('trusted_list_scheme_mismatch'));
    }
  });

  it('is refused with a critical extension of the scheme, and taken with another', () => {
    const extend = (extension: object) => read((payload) => (scheming(payload)['SchemeExtensions'] = [extension]));
    expect(extend({ critical: false })).toMatchObject({ sequence: 7 });
    for (const extension of [{ critical: true }, { critical: 'true' }, { Critical: true, value: 1 }])
      expect(() => extend(extension)).toThrow(failsWith('trusted_list_critical_extension'));
  });

  it('is too large beyond its bounds, and is not read then', () => {
    const huge = Buffer.alloc(4_194_305, 'A');
    expect(() => verifyTrustedList(huge, rulesOf(scheme))).toThrow(failsWith('trusted_list_too_large'));
    const certificates = Array.from({ length: 3_001 }, (_, index) => Buffer.from(`certificate ${index}`));
    const many = listDraft([{ ...pidService(scheme), certificates }]);
    expect(() => verifyTrustedList(signedList(scheme, many), rulesOf(scheme))).toThrow(
      failsWith('trusted_list_too_large'),
    );
    const services = Array.from({ length: 20_001 }, () => ({ certificates: [scheme.provider.certificate] }));
    const [service] = servicesOf(trustedListPayload(listDraft(services.slice(0, 1))));
    expect(() =>
      read((payload) => servicesOf(payload).push(...services.map(() => ({ ...service, ServiceInformation: EMPTY })))),
    ).toThrow(failsWith('trusted_list_too_large'));
  });
});
