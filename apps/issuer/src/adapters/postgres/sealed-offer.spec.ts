import { randomBytes } from 'node:crypto';
import { createSealer, createTimedId } from '@vestibule/crypto';
import type { Deferral } from '../../domain/credential-offer';
import { NOW } from '../../testing/issuer.fixture-spec';
import { openOffer, resealClaims, sealOffer, sessionContext, type OfferColumns } from './sealed-offer';

const sealer = createSealer([randomBytes(32)], randomBytes);
const noted: Date[] = [];
const olderReplicas = { note: (at: Date) => void noted.push(at), wereSeen: () => false, mayRun: () => false };
const opening = { sealer, olderReplicas };
const offerId = createTimedId(NOW, randomBytes);
const session = { claims: { name: 'canary' }, preAuthorizedCode: 'code' };
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const ALTERED = expect.objectContaining({ code: 'record_altered' });

const sealed = (deferral?: Deferral, expiresAt = at(300)) =>
  sealOffer(sealer, offerId, session, { configurationId: 'card', expiresAt, deferral, takesBoundTokens: true });
const row = (bytes: Buffer, changes: Partial<OfferColumns> = {}) => ({
  configuration_id: 'card',
  expires_at: at(300),
  deferral: null,
  ...changes,
  session: bytes,
});
const textOf = (bytes: Buffer) => sealer.open(bytes, sessionContext(offerId)).toString('utf8');
/** As an earlier version rewrites a session. */
const rewritten = (bytes: Buffer, change: (record: object) => object) =>
  sealer.seal(Buffer.from(JSON.stringify(change(JSON.parse(textOf(bytes)) as object))), sessionContext(offerId));

describe('a sealed offer', () => {
  it('is what was sealed, for a row that says the same', () => {
    const opened = openOffer(opening, offerId, row(sealed()));
    expect(opened).toMatchObject({ ...session, takesBoundTokens: true });
    expect(opened).not.toHaveProperty('txCodeKey');
  });

  it('has at most 45 bytes for what its row is held against', () => {
    expect(textOf(sealed()).length - JSON.stringify(session).length).toBeLessThanOrEqual(45);
  });

  it('ends at its first end, and a deferred one within the longest time of a token', () => {
    const month = 2_592_000;
    expect(() => openOffer(opening, offerId, row(sealed(), { expires_at: at(301) }))).toThrow(ALTERED);
    expect(openOffer(opening, offerId, row(sealed(), { expires_at: at(-3_600) }))).toBeDefined();
    const late = { deferral: 'ready', expires_at: at(300 + month) } as const;
    expect(openOffer(opening, offerId, row(sealed('ready'), late))).toBeDefined();
    expect(() => openOffer(opening, offerId, row(sealed('ready'), { ...late, expires_at: at(1_000 + month) }))).toThrow(
      ALTERED,
    );
  });

  it('does not fail for a fraction of a second', () => {
    for (const milliseconds of [1, 500, 999]) {
      const expiresAt = new Date(at(300).getTime() + milliseconds);
      expect(openOffer(opening, offerId, row(sealed(undefined, expiresAt), { expires_at: expiresAt }))).toBeDefined();
    }
  });

  it('waits for claims until all of them are replaced, also by an earlier version', () => {
    const waiting = sealed('waiting');
    expect(openOffer(opening, offerId, row(waiting, { deferral: 'waiting' })).claims).toEqual(session.claims);
    const ready = { deferral: 'ready' } as const;
    expect(() => openOffer(opening, offerId, row(waiting, ready))).toThrow(ALTERED);
    const claims = { name: 'final' };
    const completed = [
      resealClaims(sealer, offerId, row(waiting, { deferral: 'waiting' }), claims),
      rewritten(waiting, (record) => ({ ...record, claims })),
    ];
    for (const bytes of completed) {
      expect(openOffer(opening, offerId, row(bytes, ready))).toMatchObject({ claims, takesBoundTokens: true });
      expect(() => openOffer(opening, offerId, row(bytes, { ...ready, configuration_id: 'other' }))).toThrow(ALTERED);
    }
  });

  it('of an earlier version is believed what its row says', () => {
    const earlier = rewritten(sealed(), () => session);
    const columns = { configuration_id: 'any', expires_at: at(1_000_000), deferral: 'ready' } as const;
    expect(openOffer(opening, offerId, row(earlier, columns))).toMatchObject({ ...session, takesBoundTokens: false });
  });

  it('tells of an earlier version alone, and when that made it, whoever completed it', () => {
    noted.length = 0;
    const completed = rewritten(sealed('waiting'), (record) => ({ ...record, claims: {} }));
    openOffer(opening, offerId, row(completed, { deferral: 'ready' }));
    expect(noted).toEqual([]);
    openOffer(opening, offerId, row(rewritten(sealed(), () => session)));
    expect(noted).toEqual([at(0)]);
  });
});
