import type { Clock } from '@vestibule/foundation';
import { parseNotification, isNotificationId } from '@vestibule/oid4vci';
import { OAuthError } from '@vestibule/oauth';
import type { Issuances } from '../domain/ports';
import type { AuthorizeWallet } from './authorize-wallet';
import type { WalletMessage } from './open-message';

export interface AcceptNotificationDeps {
  readonly clock: Clock;
  readonly authorize: AuthorizeWallet;
  /** The keys that notification ids may have been made with. */
  readonly notificationKeys: readonly Uint8Array[];
  readonly recordNotification: Issuances['recordNotification'];
}

/**
 * A wallet reports what happened to its credentials (OpenID4VCI 1.0 §11), possibly repeatedly. The backend sees the
 * last event when it looks at the offer, and no state depends on it. The wallet's `event_description` is not stored.
 * Throws an OAuthError.
 */
export function acceptNotification(deps: AcceptNotificationDeps) {
  return async function acceptNotification(input: Omit<WalletMessage, 'jwt'>): Promise<Record<string, never>> {
    const now = deps.clock();
    const { offerId } = await deps.authorize({ ...input, endpoint: 'notification' }, now);
    const { notificationId, event } = parseNotification(input.body);
    if (!isNotificationId(notificationId, offerId, deps.notificationKeys))
      throw new OAuthError('invalid_notification_id', 'notification_id_unknown');
    await deps.recordNotification(offerId, event, now);
    return {};
  };
}
