import { type ReportingService } from '@vestibule/contracts';
import { createTimedId } from '@vestibule/crypto';
import { ApiError, type Clock, type RandomBytes } from '@vestibule/foundation';
import { type Logger } from '@vestibule/process';
import { callbackUrlFault, type CallbackTarget } from './callback-target';
import { type DeliveryLimits } from './delivery-policy';
import { createPoster } from './post-callback';

export interface TestCallbackOptions {
  readonly service: ReportingService;
  readonly target: CallbackTarget;
  readonly limits: DeliveryLimits;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly logger: Logger;
}

/** The result of a test event. */
export interface TestedCallback {
  readonly service: ReportingService;
  readonly delivered: boolean;
  readonly result: string;
  readonly milliseconds: number;
  readonly webhook_id: string;
  readonly signatures: ('v1' | 'v1a')[];
}

/**
 * Posts one event with the status TEST, which refers to neither a request nor an offer, signed and addressed as real
 * ones are. One attempt over a separate connection; nothing is stored. Throws `invalid_request` for a URL at an origin
 * that is not allowed.
 */
export function createCallbackTest({ service, target, limits, clock, random, logger }: TestCallbackOptions) {
  return async function testCallback({ url }: { readonly url?: string | undefined }): Promise<TestedCallback> {
    const message = url === undefined ? undefined : callbackUrlFault(url, target.origins ?? []);
    if (message !== undefined) {
      const faults = [{ path: 'callback_url', message }];
      throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the URL is not allowed', faults });
    }
    const id = createTimedId(clock(), random);
    const origin = url === undefined ? {} : { origin: new URL(url).origin };
    const poster = createPoster({ target, ...origin, limits, clock });
    const began = performance.now();
    const body = Buffer.from(JSON.stringify({ status: 'TEST', eventId: id }), 'utf8');
    const { end, result } = await poster.post({ id, body, url: url ?? null });
    const milliseconds = Math.round(performance.now() - began);
    await poster.close();
    logger.info('a test event was posted', { event: id, result, milliseconds });
    const signatures = [...new Set((target.keys ?? []).map(({ scheme }) => scheme))];
    return { service, delivered: end === 'delivered', result, milliseconds, webhook_id: id, signatures };
  };
}
