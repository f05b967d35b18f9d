import { issuanceEvent as schema } from '@vestibule/contracts';
import { failedEvent, issuanceEvent } from './issuance-event';

describe('the callback body of an issuance', () => {
  it.each(['OFFER_CREATED', 'ISSUED', 'EXPIRED'] as const)('of %s has three members and no errorDetails', (status) => {
    const event = issuanceEvent('offer-1', status);
    expect(event).toEqual({ eventId: 'offer-1', status, offerId: 'offer-1' });
    expect(schema.parse(event)).toEqual(event);
  });

  it('of FAILED has errorDetails besides', () => {
    const event = failedEvent('offer-1', 'signing_failed', 'the credential could not be signed');
    expect(event).toEqual({
      eventId: 'offer-1',
      status: 'FAILED',
      offerId: 'offer-1',
      errorDetails: 'signing_failed: the credential could not be signed',
    });
    expect(schema.parse(event)).toEqual(event);
  });
});
