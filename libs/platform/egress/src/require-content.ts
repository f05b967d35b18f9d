import type { EgressResponse } from './egress';
import { egressFailure } from './failures';

/**
 * The body of a successful response of the given media type, parameters and case aside (TSL §8.2, RFC 9110 §8.3.1).
 * Throws `egress_status` unless the status is 2xx, `egress_content_type` for another or no media type.
 */
export function requireContent(response: EgressResponse, mediaType: string): Buffer {
  if (response.status < 200 || response.status > 299) throw egressFailure('egress_status');
  const essence = response.contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (essence !== mediaType.toLowerCase()) throw egressFailure('egress_content_type');
  return response.body;
}
