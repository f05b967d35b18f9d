import fc from 'fast-check';
import { signTrustedList, trustedListPayload } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import { listedAnchors, verifyTrustedList as verifyInSteps } from './index';
import {
  createScheme,
  listDraft,
  NOW,
  pidService,
  rulesOf,
  signedList,
  verifyTrustedList,
  type Scheme,
} from './trusted-list.fixture-spec';

let scheme: Scheme;
let list: Buffer;
beforeAll(async () => {
  scheme = await createScheme();
  list = signedList(scheme, listDraft([pidService(scheme)]));
});

/** The anchors of a list, or undefined after a typed error; everything else fails the test. */
function attempt(bytes: Uint8Array) {
  try {
    return listedAnchors(verifyTrustedList(bytes, rulesOf(scheme)), { id: 'x' }, NOW).anchors;
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    return undefined;
  }
}

describe('any bytes', () => {
  it('are a typed error, unless they are the list itself', () => {
    const change = fc.record({ at: fc.nat(), octet: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(list);
        for (const { at, octet } of changes) bytes[at % bytes.length] = octet;
        if (!bytes.equals(list)) expect(attempt(bytes)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => expect(attempt(bytes)).toBeUndefined()));
  });

  it('that the scheme operator signed are never more than the anchors in them, whatever their shape', () => {
    const payload = trustedListPayload(listDraft([pidService(scheme)]));
    const scheming = (payload['LoTE'] as Record<string, unknown>)['ListAndSchemeInformation'];
    const known = scheme.provider.certificate.toString('base64');
    const names = fc.constantFrom(
      'TrustedEntityInformation',
      'TrustedEntityServices',
      'ServiceInformation',
      'ServiceHistory',
      'ServiceDigitalIdentity',
      'X509Certificates',
      'val',
      'TEName',
      '__proto__',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 1, '', known, NOW.toISOString()),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (entities) => {
        const text = JSON.stringify({ LoTE: { ListAndSchemeInformation: scheming, TrustedEntitiesList: entities } });
        expect(attempt(Buffer.from(sign(text))) ?? []).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('let other work pass after each certificate', async () => {
    const certificates = [];
    for (let index = 0; index < 20; index += 1)
      certificates.push((await scheme.authority.issueAuthority({ name: `CA ${index}` })).certificate);
    const many = signedList(scheme, listDraft([{ ...pidService(scheme), certificates }, pidService(scheme)]));
    expect([...verifyInSteps(many, rulesOf(scheme))]).toHaveLength(21);
  });
});

const sign = (text: string) => signTrustedList(text, { signer: scheme.signer, signedAt: NOW });
