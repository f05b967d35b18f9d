import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { type ClaimedCallback } from '../callback-store';
import type { Removal } from '../delivered-callbacks';
import { DeliveryLane } from '../delivery-lane';
import { DELIVERY_LIMITS } from '../delivery-policy';
import { payloadContext } from '../enqueue-callback';

type LaneOptions = ConstructorParameters<typeof DeliveryLane>[0];

const SCHEMA = 'test';
export const sealer = createSealer([randomBytes(32)], randomBytes);

/** An event that {@link openLane} can open. */
export function sealedEvent(changes: Partial<ClaimedCallback> = {}): ClaimedCallback {
  const id = randomBytes(16);
  const payload = sealer.seal(Buffer.from('{}'), payloadContext(SCHEMA, id));
  return { id, subject: 's', payload, url: null, status: 'ENDED', attempts: 1, ...changes };
}

/** A deletion of all that was delivered, which nothing has waited for, unless told otherwise. */
export const removal = (changes: Partial<Removal> = {}): Promise<Removal> =>
  Promise.resolve({ followed: false, locked: [], ...changes });

const ignore = (): void => undefined;

/** A lane over this store and poster that logs nothing, with the limits of production. */
export function openLane(options: Pick<LaneOptions, 'store' | 'poster'> & Partial<LaneOptions>): DeliveryLane {
  return new DeliveryLane({
    schema: SCHEMA,
    sealer,
    clock: () => new Date(),
    random: randomBytes,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    limits: DELIVERY_LIMITS,
    ...options,
  });
}
