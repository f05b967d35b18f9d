import type { Clock } from '@vestibule/foundation';
import { parseNotification, isNotificationId, issuerEndpoints, type NotificationEvent } from '@vestibule/oid4vci';
import { OAuthError } from '@vestibule/oauth';
import { authorizeWallet, type AuthorizeWalletDeps } from './authorize-wallet';
import type { WalletMessage } from './issue-credential';

export interface AcceptNotificationDeps extends AuthorizeWalletDeps {
  readonly clock: Clock;
  readonly issuerUrl: string;
  /** Keys that notification ids may have been made with. */
  readonly notificationKeys: readonly Uint8Array[];
  /** Keeps the last event; the same one again changes nothing. */
  readonly recordNotification: (offerId: string, event: NotificationEvent, now: Date) => Promise<void>;
}

/**
 * A wallet tells what became of its credentials (OpenID4VCI 1.0 §11); it may say so again. The backend sees the last event
 * when it looks at the offer, and no state depends on it. What the wallet writes in `event_description` is not kept.
 * Throws an OAuthError.
 */
export const acceptNotification =
  (deps: AcceptNotificationDeps) =>
  async (input: Omit<WalletMessage, 'jwt'>): Promise<Record<string, never>> => {
    const now = deps.clock();
    const { offerId } = await authorizeWallet(
      deps,
      { ...input, url: issuerEndpoints(deps.issuerUrl).notification },
      now,
    );
    const { notificationId, event } = parseNotification(input.body);
    if (!isNotificationId(notificationId, offerId, deps.notificationKeys))
      throw new OAuthError('invalid_notification_id', 'notification_id_unknown');
    await deps.recordNotification(offerId, event, now);
    return {};
  };
