import type { EgressResponse } from './egress';
import { egressFailure } from './failures';

/**
 * The body of a successful response with the given media type, ignoring parameters and case (TSL §8.2, RFC 9110
 * §8.3.1). Throws `egress_status` unless the status is 2xx, `egress_content_type` for a different or missing media
 * type.
 */
export function requireContent(response: EgressResponse, mediaType: string): Buffer {
  if (response.status < 200 || response.status > 299) throw egressFailure('egress_status');
  const essence = response.contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (essence !== mediaType.toLowerCase()) throw egressFailure('egress_content_type');
  return response.body;
}
