import { storedOffer, type ViewRow } from './offer-view';

const AT = new Date('2026-03-01T12:00:00Z');
const row = (more: Partial<ViewRow>): ViewRow => ({
  configuration_id: 'pid',
  shortened_to: null,
  status: 'OFFER_CREATED',
  created_at: AT,
  expires_at: AT,
  finished_at: null,
  deferral: null,
  notification_event: null,
  notified_at: null,
  handed_over_at: null,
  repeated_at: null,
  accepted_at: null,
  ...more,
});

describe('what a backend sees of an offer', () => {
  it.each<[ViewRow['status'], ViewRow['deferral'], string | undefined]>([
    ['OFFER_CREATED', 'waiting', 'waiting'],
    ['OFFER_CREATED', 'ready', 'ready'],
    ['ISSUED', 'ready', 'ready'],
    ['FAILED', 'ready', 'ready'],
    ['FAILED', 'waiting', undefined],
    ['EXPIRED', 'waiting', undefined],
    ['OFFER_CREATED', null, undefined],
  ])(
    'of %s with claims that are %s, deferral is %s: nobody waits for claims after the end',
    (status, deferral, seen) => {
      expect(storedOffer('offer', row({ status, deferral })).view.deferral).toBe(seen);
    },
  );
});
