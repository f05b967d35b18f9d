import { createCertificateAuthority, type Authority, type RawExtension } from '@vestibule/dev-pki';
import { der } from './crl.fixture-spec';
import { createChainVerifier, parseCertificate, PURPOSES, type Purpose, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const refused = expect.objectContaining({ code: 'extended_key_usage_not_allowed' });
const malformed = expect.objectContaining({ code: 'certificate_malformed' });

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
/** 0.4.0.1862.1.6 and 0.4.0.1862.1.1 */
const [QC_TYPE, QC_COMPLIANCE] = [oid('04008e460106'), oid('04008e460101')];
const TYPES = {
  pidProvider: '04008bec4e0101',
  walletProvider: '04008bec4e0102',
  signature: '04008e46010601',
  seal: '04008e46010602',
  website: '04008e46010603',
};
type TypeName = keyof typeof TYPES;

const qcStatements = (...names: readonly TypeName[]): RawExtension => ({
  oid: '1.3.6.1.5.5.7.1.3',
  critical: false,
  value: der(0x30, der(0x30, QC_COMPLIANCE), der(0x30, QC_TYPE, der(0x30, ...names.map((name) => oid(TYPES[name]))))),
});

/** As in the EU's reference environment: the type is a statement, not within QcType. */
const ownStatements = (...names: readonly TypeName[]): RawExtension => ({
  oid: '1.3.6.1.5.5.7.1.3',
  critical: false,
  value: der(0x30, ...names.map((name) => der(0x30, oid(TYPES[name])))),
});

const policies = (...hex: readonly string[]): RawExtension => ({
  oid: '2.5.29.32',
  critical: false,
  value: der(0x30, ...hex.map((one) => der(0x30, oid(one)))),
});
/** 0.4.0.194118.1.1 to 0.4.0.194118.1.4 */
const ACCESS = ['01', '02', '03', '04'].map((last) => `04008bec4601${last}`);
/** 0.4.0.2042.1.1, a policy of another standard. */
const OTHER_POLICY = '04008f7a0101';

let root: Authority;
let anchors: TrustAnchor[];
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  anchors = [{ certificate: parseCertificate(root.certificate), purposes: PURPOSES }];
});

async function leafWith(...extensions: readonly RawExtension[]): Promise<readonly string[]> {
  const { certificate } = await root.issue({ name: 'Leaf', extensions });
  return [certificate.toString('base64')];
}

function purposesOf(x5c: readonly string[]): readonly Purpose[] {
  const verifier = createChainVerifier(anchors, { maxEntries: 1 });
  return PURPOSES.filter((purpose) => {
    try {
      return verifier.verify(x5c, { now, purpose }).anchor === anchors[0];
    } catch (error) {
      expect(error).toEqual(refused);
      return false;
    }
  });
}

const PID: readonly Purpose[] = ['credential', 'status'];
const WALLET: readonly Purpose[] = ['status', 'wallet_attestation', 'key_attestation'];

describe('what a certificate says that it is for', () => {
  it.each<readonly [string, readonly RawExtension[], readonly Purpose[]]>([
    ['of a PID provider', [qcStatements('pidProvider')], PID],
    ['of a wallet provider', [qcStatements('walletProvider')], WALLET],
    ['of both', [qcStatements('walletProvider', 'pidProvider')], ['credential', ...WALLET]],
    ['of a PID provider in a statement of its own', [ownStatements('pidProvider')], PID],
    ['of a wallet provider in a statement of its own', [ownStatements('walletProvider')], WALLET],
    ['of both in statements of their own', [ownStatements('walletProvider', 'pidProvider')], ['credential', ...WALLET]],
    ['of one who seals', [qcStatements('seal')], PURPOSES],
    ["of a person's signature", [qcStatements('signature')], ['access']],
    ['of a web site', [qcStatements('website')], ['access']],
    ["of a relying party with a person's signature", [policies(...ACCESS), qcStatements('signature')], ['access']],
    ['of a PID provider with a signature', [qcStatements('signature', 'pidProvider')], [...PID, 'access']],
    ['of a wallet provider who seals', [qcStatements('seal', 'walletProvider')], WALLET],
    ['of a wallet provider with a policy', [policies(OTHER_POLICY), qcStatements('walletProvider')], WALLET],
    ['with a policy of another standard', [policies(OTHER_POLICY)], PURPOSES],
    ['without any of it', [], PURPOSES],
  ])('one %s signs what such a party signs', async (_who, extensions, purposes) => {
    expect(purposesOf(await leafWith(...extensions))).toEqual(purposes);
  });

  it.each(ACCESS)('one of a relying party signs requests alone (policy %s)', async (policy) => {
    expect(purposesOf(await leafWith(policies(policy)))).toEqual(['access']);
    expect(purposesOf(await leafWith(policies(OTHER_POLICY, policy)))).toEqual(['access']);
  });

  it.each([
    ['1.3.130.2.0.0.1.7, for PIDs, is for others where a list says so', '06082b81020200000107', true],
    ['of TLS servers is not', '06082b06010505070301', false],
  ])('counts beside that of its authority, which %s', async (_what, usage, expected) => {
    const value = der(0x30, Buffer.from(usage, 'hex'));
    const authority = await createCertificateAuthority({
      name: 'PID Issuer CA',
      now,
      extensions: [{ oid: '2.5.29.37', critical: false, value }],
    });
    const { certificate } = await authority.issue({ name: 'Wallet', extensions: [ownStatements('walletProvider')] });
    const anchor: TrustAnchor = { certificate: parseCertificate(authority.certificate), purposes: PURPOSES };
    const judge = (purpose: Purpose, more: Partial<TrustAnchor>) => () =>
      createChainVerifier([{ ...anchor, ...more }], { maxEntries: 1 }).verify([certificate.toString('base64')], {
        now,
        purpose,
      }).isForPurpose;
    expect(judge('wallet_attestation', {})).toThrow(refused);
    expect(judge('credential', { list: 'pid' })).toThrow(refused);
    if (expected) expect(judge('wallet_attestation', { list: 'wallets' })()).toBe(true);
    else expect(judge('wallet_attestation', { list: 'wallets' })).toThrow(refused);
  });

  it('counts on the leaf alone: an authority may list what it issues', async () => {
    const authority = await root.issueAuthority({ name: 'CA', extensions: [policies(...ACCESS)] });
    const { certificate } = await authority.issue({ name: 'Leaf' });
    const x5c = [certificate, authority.certificate].map((one) => one.toString('base64'));
    expect(purposesOf(x5c)).toEqual(PURPOSES);
  });

  it('is only reported where the operator says so', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 1, extendedKeyUsage: 'report' });
    const { anchor, isForPurpose } = verifier.verify(await leafWith(qcStatements('walletProvider')), {
      now,
      purpose: 'credential',
    });
    expect([anchor, isForPurpose]).toEqual([anchors[0], false]);
  });

  it.each([
    ['1.3.6.1.5.5.7.1.3', '3000ff'],
    ['1.3.6.1.5.5.7.1.3', '0500'],
    ['2.5.29.32', '30023000'],
    ['2.5.29.32', ''],
  ])('is nothing that can be read wrongly: %s with %s', async (extension, hex) => {
    const broken = { oid: extension, critical: false, value: Buffer.from(hex, 'hex') };
    const { certificate } = await root.issue({ name: 'Leaf', extensions: [broken] });
    expect(() => parseCertificate(certificate)).toThrow(malformed);
  });
});
