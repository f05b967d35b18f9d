import { createCertificateAuthority, signTrustedList, trustedListPayload, type Authority } from '@vestibule/dev-pki';
import type { JsonObject } from '@vestibule/foundation';
import { createChainVerifier, parseCertificate } from '@vestibule/x509-trust';
import { describeList, LIST_GAUGES, listedAnchors, type TrustedListRules } from './index';
import {
  after,
  createScheme,
  failsWith,
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

/* Lists that a scheme operator signed who is careless, or whose members lie: the signature always holds. */

let scheme: Scheme;
/** Another authority with the name of the provider. */
let namesake: Authority;
beforeAll(async () => {
  scheme = await createScheme();
  namesake = await createCertificateAuthority({ name: 'Provider Root', now: NOW });
});

const use = { id: 'pid' };
const draft = () => listDraft([pidService(scheme)]);
const read = (text: string, more: Partial<TrustedListRules> = {}) =>
  verifyTrustedList(
    Buffer.from(signTrustedList(text, { signer: scheme.signer, signedAt: NOW })),
    rulesOf(scheme, more),
  );
const anchorsOf = (text: string) => listedAnchors(read(text), use, NOW).anchors;
const rightText = () => JSON.stringify(trustedListPayload(draft()));
const replaced = (from: string | RegExp, to: string) => {
  const text = rightText();
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return changed;
};

describe('a sequence number', () => {
  it.each(['9007199254740993', '1e400', '1e21', '-0.5', '1.0000000000000001', '"9"', 'null', '[7]'])(
    'of %s is malformed',
    (number) => {
      expect(() => read(replaced(':7,', `:${number},`))).toThrow(failsWith('trusted_list_malformed'));
    },
  );

  it('may be the largest that is exact, and nothing comes after it', () => {
    const largest = Number.MAX_SAFE_INTEGER;
    const list = read(replaced(':7,', `:${largest},`));
    expect(list.sequence).toBe(largest);
    expect(() => read(rightText(), { previous: list })).toThrow(failsWith('trusted_list_rolled_back'));
  });
});

describe('a date', () => {
  const nextUpdate = /"NextUpdate":"[^"]*"/;
  const scheming = { ...profileOf('EUPIDProvidersList') };

  it('EU:T3 far away does not make a list of the European Commission live longer', () => {
    for (const text of ['9999-12-31T23:59:59Z', '2027-03-01T12:00:00Z']) {
      const far = replaced(nextUpdate, `"NextUpdate":"${text}"`);
      expect(read(far, { graceSeconds: 86_400 }).usableUntil).toEqual(after(-10 + 184 + 1));
      const late = { now: after(-10 + 184) };
      expect(() => read(far, late)).toThrow(failsWith('trusted_list_out_of_date'));
    }
  });

  it('far away lasts on other lists for as long as the certificate of the signer', () => {
    const { maxUpdateDays: _, ...profile } = scheming;
    const list = read(replaced(nextUpdate, '"NextUpdate":"9999-12-31T23:59:59Z"'), {
      profile,
      graceSeconds: 2_592_000,
    });
    const { notAfter } = parseCertificate(scheme.signer.certificate);
    expect(list.usableUntil).toEqual(new Date(notAfter.getTime() + 60_000));
  });

  it.each([
    '2026-03-20T23:59:60Z',
    '2026-03-20T24:00:00Z',
    '2026-13-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '2026-03-20t00:00:00Z',
    '2026-03-20T00:00:00+00:00',
    '２026-03-20T00:00:00Z',
    'Infinity',
    '',
  ])('that reads %j is malformed', (text) => {
    expect(() => read(replaced(nextUpdate, `"NextUpdate":"${text}"`))).toThrow(failsWith('trusted_list_malformed'));
  });
});

describe('services', () => {
  it('that are repeated are one, and one of another type does not add to them', () => {
    const service = pidService(scheme);
    const { anchors } = listedAnchors(verified(scheme, [service, service, { ...service, type: 'urn:x' }]), use, NOW);
    expect(anchors.map(({ purposes }) => purposes)).toEqual([['credential', 'status']]);
  });

  it('of more authorities with one name than are tried for a chain are counted for the operator', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 17 }, () => createCertificateAuthority({ name: 'Provider Root', now: NOW })),
    );
    const listOf = (authorities: readonly Authority[]) =>
      verified(scheme, [{ ...pidService(scheme), certificates: authorities.map(({ certificate }) => certificate) }]);
    const counted = (authorities: readonly Authority[]) => {
      const list = listOf(authorities);
      const gauge = LIST_GAUGES.find(({ name }) => name === 'trusted_list_crowded_names');
      return [describeList(list, 'pid', NOW).crowdedNames, gauge?.read(list, 'pid', NOW)];
    };
    expect([counted(crowd), counted(crowd.slice(1))]).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(listedAnchors(listOf(crowd), use, NOW).anchors.map(({ list }) => list)).toEqual(crowd.map(() => 'pid'));
  });

  it('of authorities with one name are told apart by their keys', async () => {
    const list = verified(scheme, [
      pidService(scheme),
      { ...pidService(scheme), certificates: [namesake.certificate] },
    ]);
    const { anchors } = listedAnchors(list, use, NOW);
    const chains = createChainVerifier(anchors, { maxEntries: 10 });
    for (const [index, authority] of [scheme.provider, namesake].entries()) {
      const { certificate } = await authority.issue({ name: 'Leaf' });
      const { anchor } = chains.verify([certificate.toString('base64')], { purpose: 'credential', now: NOW });
      expect(anchor).toBe(anchors[index]);
    }
    const stranger = await createCertificateAuthority({ name: 'Provider Root', now: NOW });
    const { certificate } = await stranger.issue({ name: 'Leaf' });
    expect(() =>
      chains.verify([certificate.toString('base64')], { purpose: 'credential', now: NOW, needsAnchor: true }),
    ).toThrow(failsWith('untrusted_issuer'));
  });

  it('of two entities with one authority: a chain leads to the first of them', async () => {
    const shared = { name: 'Entity', services: [pidService(scheme)] };
    const revoking = { type: PID_REVOCATION, certificates: [namesake.certificate] };
    const other = { name: 'Other', services: [pidService(scheme), revoking] };
    const { anchors } = listedAnchors(verified(scheme, [], { entities: [shared, other] }), use, NOW);
    const chains = createChainVerifier(anchors, { maxEntries: 10 });
    const anchorOf = async (authority: Authority, purpose: 'credential' | 'status') => {
      const { certificate } = await authority.issue({ name: 'Leaf' });
      return chains.verify([certificate.toString('base64')], { purpose, now: NOW }).anchor?.entity;
    };
    const [first, second, third] = anchors.map(({ entity }) => entity);
    expect([second, first]).toEqual([third, expect.not.stringContaining(String(third))]);
    expect(await anchorOf(scheme.provider, 'credential')).toBe(first);
    expect(await anchorOf(namesake, 'status')).toBe(third);
  });

  it.each([
    ['a Cyrillic letter', 'http://uri.etsi.org/19602/SvcType/РID/Issuance'],
    ['full-width letters', 'http://uri.etsi.org/19602/SvcType/ＰＩＤ/Issuance'],
    ['a zero-width joiner', 'http://uri.etsi.org/19602/SvcType/PID/Issuance\u200d'],
    ['an encoded letter', 'http://uri.etsi.org/19602/SvcType/%50ID/Issuance'],
    ['another scheme', 'https://uri.etsi.org/19602/SvcType/PID/Issuance'],
    ['other letters', 'http://uri.etsi.org/19602/svctype/pid/issuance'],
    ['a slash at its end', 'http://uri.etsi.org/19602/SvcType/PID/Issuance/'],
    ['a space', ' http://uri.etsi.org/19602/SvcType/PID/Issuance'],
  ])('of a type that looks like the right one, with %s, are trusted for nothing', (_, type) => {
    expect(anchorsOf(replaced(PID_ISSUANCE, type))).toEqual([]);
  });

  it('of a list whose type looks like the right one make it another list', () => {
    expect(() => read(replaced('EUPIDProvidersList', 'EUPIDProvidersLіst'))).toThrow(
      failsWith('trusted_list_type_mismatch'),
    );
  });

  it('with one certificate in another spelling as well count it once', () => {
    const val = scheme.provider.certificate.toString('base64');
    for (const other of [val, `${val}\\n`, ` ${val}`, `${val.slice(0, -1)}-`, `${val}====`])
      expect(anchorsOf(replaced(`{"val":"${val}"}`, `{"val":"${val}"},{"val":"${other}"}`))).toHaveLength(1);
  });
});

describe('what a list points to', () => {
  it('is not followed: no member of it is an address that anybody fetches', () => {
    const pointers = {
      PointersToOtherLoTE: [{ LoTELocation: 'https://attacker.example/list', ServiceDigitalIdentities: [] }],
    };
    const payload = trustedListPayload(draft());
    const scheming = (payload['LoTE'] as JsonObject)['ListAndSchemeInformation'] as JsonObject;
    const text = JSON.stringify({
      LoTE: { ...(payload['LoTE'] as JsonObject), ListAndSchemeInformation: { ...scheming, ...pointers } },
    });
    expect(JSON.stringify(read(text))).not.toContain('attacker.example');
  });
});

describe('a list that costs much', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it.each<[string, () => string]>([
    ['deep', () => replaced('{"LoTE":', `{"x":${nested(100_000)},"LoTE":`)],
    ['of many values', () => replaced('{"LoTE":', `{"x":[${'0,'.repeat(200_000)}0],"LoTE":`)],
    [
      'deep where extensions are',
      () => replaced('"LoTEVersionIdentifier"', `"SchemeExtensions":${nested(20)},"LoTEVersionIdentifier"`),
    ],
  ])('because it is %s is malformed', (_, text) => {
    expect(() => read(text())).toThrow(failsWith('trusted_list_malformed'));
  });

  it('is not read at all unless its signer is known', async () => {
    const stranger = await scheme.authority.issue({ name: 'Stranger' });
    const bytes = signedList(
      scheme,
      listDraft([{ ...pidService(scheme), certificates: Array<Buffer>(3_001).fill(Buffer.from('x')) }]),
      { signer: stranger },
    );
    expect(() => verifyTrustedList(bytes, rulesOf(scheme))).toThrow(failsWith('trusted_list_signer_unknown'));
  });

  it('of a header that is deep or long is malformed', () => {
    for (const header of [
      { x: JSON.parse(nested(50)) as unknown },
      { x: 'x'.repeat(70_000) },
      { x: Array(300).fill(0) },
    ])
      expect(() => verifyTrustedList(signedList(scheme, draft(), { header }), rulesOf(scheme))).toThrow(
        failsWith('trusted_list_malformed'),
      );
  });
});

describe('the end of a list', () => {
  it('that is closed trusts nobody, and cannot be undone by an older one', () => {
    const closed = verified(scheme, [pidService(scheme)], { nextUpdateAt: null, sequence: 8 });
    expect(listedAnchors(closed, use, after(10_000)).anchors).toEqual([]);
    expect(() => read(rightText(), { previous: closed })).toThrow(failsWith('trusted_list_rolled_back'));
  });
});
