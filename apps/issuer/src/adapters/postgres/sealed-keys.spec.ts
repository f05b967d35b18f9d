import { randomBytes } from 'node:crypto';
import { createEphemeralKeyPair, createSealer } from '@vestibule/crypto';
import { transactionContext } from './offer-row';
import { openPromisedKeys, sealPromisedKeys } from './sealed-keys';

const sealer = createSealer([randomBytes(32)], randomBytes);
const [offerId, other] = ['an offer', 'another one'];
const keys = [0, 1].map(() => createEphemeralKeyPair(randomBytes).publicJwk);
const header = { typ: 'key-attestation+jwt', alg: 'ES256', x5c: ['MIIB'], kid: 'provider', more: 'of no use' };
const status = { header, own: { status_list: { uri: 'https://lists.example', idx: 3 } }, maintained: undefined };
const acceptedAt = new Date('2026-03-01T12:00:00.123Z');

describe('the sealed keys of a deferred credential', () => {
  it('come back with the status of their attestations, and what names its signer', () => {
    const statuses = [
      { ...status, acceptedAt },
      { ...status, own: undefined, maintained: { exp: 1 } },
    ];
    const opened = openPromisedKeys(sealer, offerId, sealPromisedKeys(sealer, offerId, { keys, statuses }));
    const named = { x5c: ['MIIB'], kid: 'provider' };
    expect(opened).toEqual({ keys, statuses: statuses.map((one) => ({ ...one, header: named })) });
  });

  it('come back with who attested them where no attestation refers to a list', () => {
    const statuses = [{ ...status, own: undefined }];
    const opened = openPromisedKeys(sealer, offerId, sealPromisedKeys(sealer, offerId, { keys, statuses }));
    expect(opened.statuses).toEqual([{ header: { x5c: ['MIIB'], kid: 'provider' } }]);
  });

  it('are alone where their attestations tell nothing', () => {
    const statuses = [{ ...status, header: { alg: 'ES256' }, own: undefined }];
    const opened = openPromisedKeys(sealer, offerId, sealPromisedKeys(sealer, offerId, { keys, statuses }));
    expect(opened).toEqual({ keys, statuses: [] });
  });

  it('are read as earlier versions wrote them, which read these as well', () => {
    const written = sealer.seal(Buffer.from(JSON.stringify(keys)), transactionContext(offerId));
    expect(openPromisedKeys(sealer, offerId, written)).toEqual({ keys, statuses: [] });
    const sealed = sealPromisedKeys(sealer, offerId, { keys, statuses: [status] });
    const records: unknown = JSON.parse(sealer.open(sealed, transactionContext(offerId)).toString('utf8'));
    expect(records).toMatchObject(keys);
  });

  it('are those of one offer', () => {
    const sealed = sealPromisedKeys(sealer, offerId, { keys, statuses: [status] });
    const broken = expect.objectContaining({ code: 'seal_broken' }) as Error;
    expect(() => openPromisedKeys(sealer, other, sealed)).toThrow(broken);
  });
});
