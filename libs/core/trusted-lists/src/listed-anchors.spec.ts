import {
  createCertificateAuthority,
  type Authority,
  type ListedService,
  type TrustedListDraft,
} from '@vestibule/dev-pki';
import { parseCertificate } from '@vestibule/x509-trust';
import { listedAnchors } from './index';
import {
  after,
  createScheme,
  ETSI,
  listDraft,
  NOW,
  PID_ISSUANCE,
  PID_REVOCATION,
  pidService,
  profileOf,
  rulesOf,
  signedList,
  verified,
  verifyTrustedList,
  type Scheme,
} from './trusted-list.fixture-spec';

let scheme: Scheme;
let other: Authority;
beforeAll(async () => {
  scheme = await createScheme();
  other = await createCertificateAuthority({ name: 'Other Root', now: NOW });
});

const use = { id: 'pid', vcts: ['urn:eudi:pid:1'] };
const anchorsOf = (services: readonly ListedService[], now = NOW, more: Partial<TrustedListDraft> = {}) =>
  listedAnchors(verified(scheme, services, more), use, now);
const shown = (services: readonly ListedService[], now = NOW) =>
  anchorsOf(services, now).anchors.map(({ purposes, certificate }) => [certificate.subjectText, purposes]);

const NOTIFIED = `${ETSI}/PubEAAProvidersList/SvcStatus/notified`;
const WITHDRAWN = `${ETSI}/PubEAAProvidersList/SvcStatus/withdrawn`;
const profile = profileOf('EUPubEAAProvidersList');
const eaa = (more: object = {}): ListedService => ({
  type: `${ETSI}/SvcType/PubEAA/Issuance`,
  certificates: [scheme.provider.certificate],
  status: NOTIFIED,
  since: after(-300),
  ...more,
});
/** How many anchors a list of public bodies has at some times. */
function counts(service: ListedService, days: readonly number[]) {
  const draft = { ...listDraft([service]), type: profile.type };
  const list = verifyTrustedList(signedList(scheme, draft), rulesOf(scheme, { profile }));
  return days.map((day) => listedAnchors(list, use, after(day)).anchors.length);
}

describe('the anchors of a list of trusted entities', () => {
  it('EU:T4 are the certificates of services, for the purposes of their type, the types and the entity', () => {
    const { anchors, until } = anchorsOf([pidService(scheme)]);
    const shownAnchors = anchors.map(({ certificate, ...scope }) => [certificate.fingerprint, scope]);
    expect(shownAnchors).toEqual([
      [
        parseCertificate(scheme.provider.certificate).fingerprint,
        {
          purposes: ['credential', 'status'],
          vcts: ['urn:eudi:pid:1'],
          list: 'pid',
          entity: expect.stringMatching(/^pid\/[\w-]{43}$/),
        },
      ],
    ]);
    expect(until).toEqual(after(20));
  });

  it('of a service for revocation are for status lists alone', () => {
    expect(shown([pidService(scheme), { type: PID_REVOCATION, certificates: [other.certificate] }])).toEqual([
      ['CN=Provider Root', ['credential', 'status']],
      ['CN=Other Root', ['status']],
    ]);
  });

  it('bear the same entity in the next version, where others come before it, and another than theirs', () => {
    const shared = {
      name: 'Entity',
      services: [pidService(scheme), { type: PID_REVOCATION, certificates: [other.certificate] }],
    };
    const first = { name: 'First', services: [{ type: PID_ISSUANCE, certificates: [scheme.authority.certificate] }] };
    const entitiesOf = (entities: TrustedListDraft['entities']) =>
      new Map(
        anchorsOf([], NOW, { entities }).anchors.map(({ certificate, entity }) => [certificate.subjectText, entity]),
      );
    const [before, later] = [entitiesOf([shared]), entitiesOf([first, shared])];
    const names = ['CN=Provider Root', 'CN=Other Root'];
    const [entity] = names.map((name) => before.get(name));
    expect(names.map((name) => later.get(name))).toEqual([entity, entity]);
    expect(later.get('CN=Scheme Root')).not.toBe(entity);
    const turned = entitiesOf([{ ...shared, services: shared.services.toReversed() }]);
    expect(names.map((name) => turned.get(name))).toEqual([entity, entity]);
  });

  it('with one certificate for both services are one', () => {
    expect(shown([{ ...pidService(scheme), type: PID_REVOCATION }, pidService(scheme)])).toEqual([
      ['CN=Provider Root', ['status', 'credential']],
    ]);
  });

  it.each([
    ['EUWalletProvidersList', 'WalletSolution', ['wallet_attestation', 'key_attestation', 'status']],
    ['EUWRPACProvidersList', 'WRPAC', ['access']],
  ])('of %s are for these alone', (name, service, purposes) => {
    const issuing = { type: `${ETSI}/SvcType/${service}/Issuance`, certificates: [scheme.provider.certificate] };
    const draft = { ...listDraft([issuing]), type: profileOf(name).type };
    const list = verifyTrustedList(signedList(scheme, draft), rulesOf(scheme, { profile: profileOf(name) }));
    expect(listedAnchors(list, { id: 'x' }, NOW).anchors.map((anchor) => anchor.purposes)).toEqual([purposes]);
  });

  it('of EUWRPACProvidersList are authorities alone', async () => {
    const profile = profileOf('EUWRPACProvidersList');
    const { certificate } = await scheme.provider.issue({ name: 'Leaf' });
    const issuing = { type: `${ETSI}/SvcType/WRPAC/Issuance`, certificates: [certificate] };
    const list = verifyTrustedList(
      signedList(scheme, { ...listDraft([issuing]), type: profile.type }),
      rulesOf(scheme, { profile }),
    );
    expect(listedAnchors(list, { id: 'x' }, NOW).anchors.map((anchor) => anchor.purposes)).toEqual([[]]);
  });

  it.each([
    ['of a type that is not of this list', `${ETSI}/SvcType/WalletSolution/Issuance`],
    ['of a type that nobody knows', 'https://scheme.example/svc'],
    ['without a type', undefined],
    ['with the name of an inherited member as type', 'toString'],
  ])('are none for a service %s', (_, type) => {
    const certificates = [other.certificate];
    const services = [pidService(scheme), type === undefined ? { certificates } : { type, certificates }];
    const { anchors, untrusted } = anchorsOf(services);
    expect([anchors.length, untrusted]).toEqual([1, 1]);
  });

  it('are none for a service with a status on a list that has none', () => {
    expect(shown([{ ...pidService(scheme), status: NOTIFIED }])).toEqual([]);
  });

  it('EU:T4 are the signers themselves where a list has their own certificates', async () => {
    const leaf = await scheme.provider.issue({ name: 'Leaf' });
    const { anchors } = anchorsOf([{ ...pidService(scheme), certificates: [leaf.certificate] }]);
    expect(anchors).toMatchObject([{ isSigner: true, purposes: ['credential', 'status'], list: 'pid' }]);
    const [authority] = anchorsOf([pidService(scheme)]).anchors;
    expect(authority).not.toHaveProperty('isSigner');
  });

  it('are none for a certificate that may neither certify nor sign, is malformed or is written in another way', async () => {
    const leaf = await scheme.provider.issue({ name: 'Leaf', keyType: 'RSA-2048' });
    const short = await createCertificateAuthority({ name: 'Short', now: NOW, keyType: 'RSA-1024' });
    const wrong = [leaf.certificate, short.certificate, Buffer.from('no certificate'), Buffer.alloc(0)];
    const list = verified(scheme, [{ type: PID_ISSUANCE, certificates: [...wrong, scheme.provider.certificate] }]);
    expect(listedAnchors(list, use, NOW).anchors).toHaveLength(1);
    expect(list.ignored).toBe(4);
  });

  it('are none for a service or an entity with a critical extension', () => {
    const list = verified(scheme, [{ ...pidService(scheme), extensions: [{ Critical: true }] }]);
    expect([listedAnchors(list, use, NOW).anchors, list.ignored]).toEqual([[], 1]);
    expect(shown([{ ...pidService(scheme), extensions: [{ Critical: false }] }])).toHaveLength(1);
  });

  it('EU:T3 end with the list, after its grace time, and of a closed list there are none', () => {
    const list = verifyTrustedList(
      signedList(scheme, listDraft([pidService(scheme)])),
      rulesOf(scheme, { graceSeconds: 86_400 }),
    );
    const seconds = (days: number, more: number) => new Date(after(days).getTime() + more * 1000);
    expect(listedAnchors(list, use, seconds(21, -1)).anchors).toHaveLength(1);
    expect(listedAnchors(list, use, seconds(21, 0)).anchors).toEqual([]);
    expect(anchorsOf([pidService(scheme)], NOW, { nextUpdateAt: null }).anchors).toEqual([]);
  });
});

describe('the status of a service', () => {
  it('EU:T4 means trust from its time on, and ends it from the time of another', () => {
    expect(counts(eaa({ since: after(3) }), [2, 3])).toEqual([0, 1]);
    expect(counts(eaa({ status: WITHDRAWN, since: after(-1) }), [0])).toEqual([0]);
    const past = { certificates: [scheme.provider.certificate], status: NOTIFIED, since: after(-300) };
    const withdrawn = eaa({ status: WITHDRAWN, since: after(3), history: [past] });
    expect(counts(withdrawn, [-5, 2.9, 3, 4])).toEqual([1, 1, 0, 0]);
    const between = { ...past, status: WITHDRAWN, since: after(-20) };
    for (const history of [
      [past, between],
      [between, past],
    ])
      expect(counts(eaa({ since: after(3), history }), [-25, -20, 2.9, 3])).toEqual([1, 0, 0, 1]);
  });

  it('tells when it will be another', () => {
    const past = { certificates: [scheme.provider.certificate], status: NOTIFIED, since: after(-300) };
    const draft = { ...listDraft([eaa({ status: WITHDRAWN, since: after(3), history: [past] })]), type: profile.type };
    const list = verifyTrustedList(signedList(scheme, draft), rulesOf(scheme, { profile }));
    expect(listedAnchors(list, use, NOW).until).toEqual(after(3));
    expect(listedAnchors(list, use, after(3)).until).toEqual(after(20));
  });

  it('of a certificate that was replaced ends with it', () => {
    const past = { certificates: [other.certificate], status: NOTIFIED, since: after(-300) };
    const service = eaa({ since: after(-1), history: [past] });
    const draft = { ...listDraft([service]), type: profile.type };
    const list = verifyTrustedList(signedList(scheme, draft), rulesOf(scheme, { profile }));
    const { anchors } = listedAnchors(list, use, NOW);
    expect(anchors.map(({ certificate }) => certificate.subjectText)).toEqual(['CN=Provider Root']);
  });

  it.each([
    ['is missing where there should be one', { status: undefined, since: undefined }],
    ['is unknown', { status: `${NOTIFIED}/` }],
    ['is of another scheme', { status: 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted' }],
  ])('means no trust when it %s', (_, more) => {
    expect(counts(eaa(more), [0])).toEqual([0]);
  });

  it('means no trust when the history claims to be newer than the present', () => {
    const past = { certificates: [scheme.provider.certificate], status: NOTIFIED, since: after(-1) };
    expect(counts(eaa({ since: after(-1), history: [past] }), [0])).toEqual([0]);
    expect(counts(eaa({ since: undefined, history: [past] }), [0])).toEqual([0]);
  });
});
