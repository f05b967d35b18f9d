import { DomainError, type Clock, type RandomBytes } from '@vestibule/foundation';
import { serverNonces } from '@vestibule/oauth';
import type { ClientAuthenticationPolicy } from './authenticate-client';

export interface IssueChallengeDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
  readonly clientAuthentication: ClientAuthenticationPolicy;
}

/**
 * A fresh challenge for a wallet attestation's proof of possession (attestation-based client authentication draft 07
 * §8). Throws `route_not_found` if challenges are off: the endpoint does not exist then.
 */
export function issueChallenge({ clock, random, nonceKeys: keys, clientAuthentication }: IssueChallengeDeps) {
  return async function issueChallenge(): Promise<{ attestation_challenge: string }> {
    if (!clientAuthentication.attesterKeys || clientAuthentication.challenge === 'off')
      throw new DomainError({ kind: 'not_found', code: 'route_not_found', detail: 'challenges are not offered' });
    const nonces = serverNonces({ keys, purpose: 'attestation_challenge', now: clock(), random });
    return { attestation_challenge: nonces.create() };
  };
}
