import { createHash, createPublicKey } from 'node:crypto';
import { exportPublicJwk } from '@vestibule/crypto';
import { parseVctSubtypes, type VctSubtypes } from '@vestibule/dcql';
import type { JsonObject } from '@vestibule/foundation';
import { verifyVpToken, type IssuerTrust, type PresentationExpectation } from './index';
import {
  anchorOf,
  createStage,
  expectationOf,
  failsWith,
  ISSUER,
  pidQuery,
  present,
  queryOf,
  trustOf,
  VCT,
  type Stage,
  type TrustOptions,
} from './testing/presentation.fixture-spec';

const NATIONAL = 'urn:example:pid:xx:1';
const REGIONAL = 'urn:example:pid:xx:yy:1';
const OTHER = 'urn:example:ticket:1';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

function subtypesOf(map: unknown): VctSubtypes {
  const parsed = parseVctSubtypes(map);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.subtypes;
}

const SUBTYPES = { [NATIONAL]: VCT, [REGIONAL]: NATIONAL };
/** Nothing stands for the national type here. */
const ONE_STEP = { [NATIONAL]: VCT };

/** Anchors for the national type and for the type above it, unless told otherwise. */
function trusting(options: TrustOptions = {}, map: unknown = SUBTYPES): IssuerTrust {
  return trustOf(stage, { ...options, subtypes: subtypesOf(map) });
}

const rootFor = (...vcts: string[]) => anchorOf(stage.pki.root.certificate, { vcts });
const expecting = (trust: IssuerTrust, more: Partial<PresentationExpectation> = {}) =>
  expectationOf(stage, { trust, ...more });
const checksOf = (expected: PresentationExpectation) =>
  expected.checks.entries.map(({ check, outcome }) => `${check} ${outcome}`);

async function judge(vct: string, expected: PresentationExpectation, members: JsonObject = {}) {
  const text = await present(stage, { vct, payload: members });
  return verifyVpToken({ pid: [text] }, [], expected).presentations;
}

describe('a credential of a subtype', () => {
  it.each([[NATIONAL], [REGIONAL]])(
    'VP:J6 EU:P2 %s satisfies a query of its supertype, and stays what it is',
    async (vct) => {
      const expected = expecting(trusting({ anchors: [rootFor(NATIONAL, REGIONAL)], policy: 'enforce' }));
      const [presentation] = await judge(vct, expected);
      expect(presentation).toMatchObject({ vct, claims: { vct }, trust: { supported: true, trusted: true } });
      expect(checksOf(expected).slice(-2)).toEqual(['vct_subtype passed', 'dcql passed']);
      expect(expected.checks.entries.at(-2)).toMatchObject({ credential: 'pid' });
    },
  );

  it('VP:J6 has no entry of its own in the record where the query names its type', async () => {
    const query = queryOf({ credentials: [pidQuery({ meta: { vct_values: [VCT, NATIONAL] } })] });
    for (const vct of [VCT, NATIONAL]) {
      const expected = expecting(trusting(), { query });
      await judge(vct, expected);
      expect(checksOf(expected)).not.toContain('vct_subtype passed');
    }
  });

  it.each<[string, (trust: Stage) => TrustOptions]>([
    ['auto: anchors exist for the supertype alone', () => ({ anchors: [rootFor(VCT)], policy: 'auto' })],
    ['auto: anchors exist for neither', () => ({ anchors: [], policy: 'auto' })],
    ['report: anchors exist for the supertype alone', () => ({ anchors: [rootFor(VCT)], policy: 'report' })],
    [
      'report: an anchor of another authority exists for the subtype',
      ({ foreignRoot }) => ({ anchors: [anchorOf(foreignRoot.certificate, { vcts: [NATIONAL] })], policy: 'report' }),
    ],
  ])('VP:J6 VP:N12 EU:P2 of an issuer that is not trusted for it is refused, %s', async (_title, options) => {
    const expected = expecting(trusting(options(stage), ONE_STEP));
    await expect(judge(NATIONAL, expected)).rejects.toEqual(failsWith('subtype_issuer_untrusted'));
    expect(checksOf(expected).at(-1)).toBe('vct_subtype failed');
  });

  it('VP:J6 VP:N12 of an issuer that is trusted for the supertype alone is refused by enforce', async () => {
    const expected = expecting(trusting({ anchors: [rootFor(VCT)], policy: 'enforce' }));
    await expect(judge(NATIONAL, expected)).rejects.toEqual(failsWith('untrusted_issuer'));
  });

  it.each<[string, string, unknown]>([
    ['a supertype for a query of its subtype', VCT, { [VCT]: OTHER }],
    ['a type that extends another', NATIONAL, { [NATIONAL]: OTHER }],
    ['a type in other case', NATIONAL.toUpperCase(), SUBTYPES],
    ['a type below a subtype by its name', `${NATIONAL}:child`, SUBTYPES],
    ['any, where no map is configured', NATIONAL, {}],
  ])('VP:J5 VP:J6 does not satisfy it: %s', async (_title, vct, map) => {
    const query = queryOf({ credentials: [pidQuery({ meta: { vct_values: [vct === VCT ? NATIONAL : VCT] } })] });
    const expected = expecting(trusting({}, map), { query });
    await expect(judge(vct, expected)).rejects.toEqual(failsWith('vct_not_requested'));
    expect(checksOf(expected).at(-1)).toBe('dcql failed');
  });

  it.each<[string, JsonObject]>([
    ['extends', { extends: VCT }],
    ['aka_vcts', { aka_vcts: [VCT] }],
    ['vct and extends', { vct: OTHER, extends: VCT, 'extends#integrity': 'sha256-AAAA' }],
  ])('VP:J6 does not become one by what it says itself: %s', async (_title, members) => {
    await expect(judge(OTHER, expecting(trusting()), members)).rejects.toEqual(failsWith('vct_not_requested'));
  });

  it('VP:J6 EU:P2 of a type whose metadata are kept was issued for these metadata, if it says for which', async () => {
    const kept = Buffer.from('{"vct":"kept"}');
    const hash = `sha256-${createHash('sha256').update(kept).digest('base64')}`;
    const trust = { ...trusting(), typeDocuments: new Map([[NATIONAL, kept]]) };
    for (const members of [{}, { 'vct#integrity': hash }] as JsonObject[]) {
      await expect(judge(NATIONAL, expecting(trust), members)).resolves.toHaveLength(1);
    }
    const other = { 'vct#integrity': `sha256-${'A'.repeat(43)}=` };
    await expect(judge(NATIONAL, expecting(trust), other)).rejects.toEqual(failsWith('subtype_metadata_mismatch'));
    const direct = { ...trust, typeDocuments: new Map([[VCT, kept]]) };
    await expect(judge(VCT, expecting(direct), other)).resolves.toHaveLength(1);
    for (const one of [direct, trusting()]) {
      await expect(judge(NATIONAL, expecting(one), other)).resolves.toHaveLength(1);
    }
  });

  it('VP:J6 EU:P2 meets the constraints on claims as any other', async () => {
    const query = queryOf({ credentials: [pidQuery({ claims: [{ path: ['given_name'], values: ['Max'] }] })] });
    const expected = expecting(trusting(), { query });
    await expect(judge(NATIONAL, expected)).rejects.toEqual(failsWith('claim_value_not_accepted'));
  });

  it('VP:J6 is refused as one of several too', async () => {
    const query = queryOf({ credentials: [pidQuery({ multiple: true })] });
    const expected = expecting(trusting({ anchors: [rootFor(VCT)], policy: 'auto' }, ONE_STEP), { query });
    const good = await present(stage);
    const bad = await present(stage, { vct: NATIONAL });
    expect(() => verifyVpToken({ pid: [good, bad] }, [], expected)).toThrow(failsWith('subtype_issuer_untrusted'));
  });

  it('VP:J6 VP:N12 is judged by the query that it answers, whatever another query names', async () => {
    const exact = pidQuery({ id: 'exact', meta: { vct_values: [NATIONAL] } });
    const expected = expecting(trusting({ anchors: [rootFor(VCT)], policy: 'auto' }, ONE_STEP), {
      query: queryOf({ credentials: [exact, pidQuery()] }),
    });
    const text = await present(stage, { vct: NATIONAL });
    expect(() => verifyVpToken({ exact: [text], pid: [text] }, [], expected)).toThrow(
      failsWith('subtype_issuer_untrusted'),
    );
  });

  it('VP:J6 VP:N12 is one too where the query names further types, which it does not extend', async () => {
    for (const vct_values of [
      [VCT, OTHER],
      [OTHER, VCT],
    ]) {
      const query = queryOf({ credentials: [pidQuery({ meta: { vct_values } })] });
      const expected = expecting(trusting({ anchors: [rootFor(VCT)], policy: 'auto' }, ONE_STEP), { query });
      await expect(judge(NATIONAL, expected)).rejects.toEqual(failsWith('subtype_issuer_untrusted'));
    }
  });

  it('VP:J6 of an issuer with published keys counts only for the types that the issuer is listed for', async () => {
    const listed = (vcts: readonly string[]) => trusting({ metadataIssuers: [{ issuer: ISSUER, vcts }] });
    const text = await present(stage, { vct: NATIONAL, header: { x5c: undefined, kid: 'k' } });
    const key = { kid: 'k', jwk: exportPublicJwk(createPublicKey(stage.pki.issuer.privateKey)) };
    const verify = (vcts: readonly string[]) => {
      const publishedKeys = new Map([[ISSUER, [key]]]);
      return verifyVpToken({ pid: [text] }, [], expecting(listed(vcts), { publishedKeys }));
    };
    expect(verify([NATIONAL]).presentations).toMatchObject([{ vct: NATIONAL, trust: { supported: false } }]);
    expect(() => verify([VCT])).toThrow(failsWith('issuer_type_not_allowed'));
  });
});

describe('a credential of a type that others stand for', () => {
  const judged = (vct: string, options: TrustOptions) => {
    const query = queryOf({ credentials: [pidQuery({ meta: { vct_values: [vct] } })] });
    return judge(vct, expecting(trusting(options), { query }));
  };

  it('VP:D7 VP:J6 VP:N12 needs an issuer that is trusted for it, as if it were one of them', async () => {
    for (const anchors of [[rootFor(REGIONAL)], []]) {
      for (const vct of [VCT, NATIONAL]) {
        await expect(judged(vct, { anchors })).rejects.toEqual(failsWith('untrusted_issuer'));
      }
    }
    await expect(judged(VCT, { anchors: [rootFor(VCT)] })).resolves.toMatchObject([{ trust: { trusted: true } }]);
  });

  it('VP:D7 VP:J6 VP:N12 may be any while Type Metadata is missing: neither reported nor refused without an anchor', async () => {
    const judgedEarly = (options: TrustOptions) =>
      judge(VCT, expecting(trustOf(stage, { ...options, areSubtypesKnown: false })));
    const foreign = (...vcts: string[]) => anchorOf(stage.foreignRoot.certificate, { vcts });
    const unknown = failsWith('trusted_list_unavailable');
    for (const anchors of [[], [foreign(NATIONAL)]]) {
      await expect(judgedEarly({ anchors })).rejects.toEqual(unknown);
      await expect(judgedEarly({ anchors, policy: 'enforce' })).rejects.toEqual(failsWith('untrusted_issuer'));
      await expect(judgedEarly({ anchors, policy: 'report' })).resolves.toMatchObject([{ trust: { trusted: false } }]);
    }
    await expect(judgedEarly({ anchors: [foreign(VCT)] })).rejects.toEqual(failsWith('untrusted_issuer'));
    for (const anchors of [[rootFor(VCT)], [anchorOf(stage.pki.root.certificate)]]) {
      await expect(judgedEarly({ anchors })).resolves.toMatchObject([{ trust: { trusted: true } }]);
    }
  });

  it('VP:D7 is reported where the policy only reports, and so is a type that no other stands for', async () => {
    const reported = [{ trust: { trusted: false } }];
    await expect(judged(VCT, { anchors: [], policy: 'report' })).resolves.toMatchObject(reported);
    for (const vct of [REGIONAL, OTHER]) await expect(judged(vct, { anchors: [] })).resolves.toMatchObject(reported);
  });
});
