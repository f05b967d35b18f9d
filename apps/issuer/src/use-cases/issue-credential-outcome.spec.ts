import { inspect } from 'node:util';
import { issuanceEvent } from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import { DomainError, ProcessingFailure, type ErrorCode, type JsonObject } from '@vestibule/foundation';
import {
  divide,
  OFFER_ID,
  openCredentialEndpoint,
  type EndpointOptions,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { CLAIMS, NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { createWalletKey } from '../testing/wallet.fixture-spec';
import type { CredentialSigner } from '../domain/ports';

let open: OpenEndpoint;
beforeAll(async () => {
  open = await openCredentialEndpoint(await createWalletKey());
});

const code = (expected: string) => expect.objectContaining({ code: expected });
const SIGNER: CredentialSigner = {
  sign: () => Buffer.alloc(64),
  requireReady: () => undefined,
  x5c: ['MIIB'],
  certificateNotBefore: new Date('2026-01-01T00:00:00Z'),
  chainEndsAt: new Date('2036-01-01T00:00:00Z'),
};
const fault = new DomainError({ kind: 'internal', code: 'signing_certificate_expired', detail: 'renew it' });
const unavailable = new Error('token=secret of the signer');

describe('issueCredential: the end of an offer', () => {
  it('VCI:P1 VCI:P4 VCI:P7 answers with the credentials and an id to report on them, after ISSUED was committed with its event', async () => {
    const endpoint = open();
    const answer = await endpoint.send();
    expect(divide(answer)[0]).toEqual({
      credentials: [{ credential: expect.stringMatching(/^ey[\w.~-]+~$/) }],
      notification_id: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(endpoint.events).toEqual([{ eventId: OFFER_ID, status: 'ISSUED', offerId: OFFER_ID }]);
    expect(endpoint.asked.at(-1)).toBe('complete');
  });

  it('reads the clock once', async () => {
    let reads = 0;
    const clock = () => {
      reads += 1;
      return NOW;
    };
    await open({ deps: { clock } }).send();
    expect(reads).toBe(1);
  });

  it('VCI:P8 is credential_request_denied once the offer is ISSUED and its claims are gone', async () => {
    for (const keptRequests of [[], [sha256('the keys of an earlier request')]]) {
      const endpoint = open({ grant: { claims: undefined, keptRequests } });
      await expect(endpoint.send()).rejects.toEqual(code('credential_request_denied'));
      expect(endpoint.asked).toEqual(['token', 'proof']);
      expect(endpoint.events).toEqual([]);
    }
  });

  it('VCI:P9 is credential_request_denied, without a credential, for the one who lost the race', async () => {
    const endpoint = open({ deps: { complete: async () => 'ended' } });
    await expect(endpoint.send()).rejects.toEqual(code('credential_request_denied'));
    expect(endpoint.events).toEqual([]);
  });

  it('VCI:N4 VCI:J10 is invalid_nonce, without a credential and with the offer open, for a used nonce', async () => {
    const endpoint = open({ deps: { complete: async () => 'nonce_used' } });
    await expect(endpoint.send()).rejects.toEqual(code('invalid_nonce'));
    expect(endpoint.events).toEqual([]);
  });

  it.each<[string, EndpointOptions, string]>([
    [
      'VCI:V3 a certificate that may not sign any more',
      {
        deps: {
          signerAt: () => {
            throw fault;
          },
        },
      },
      'signing_certificate_expired: renew it',
    ],
    [
      'a signer that does not answer',
      { deps: { signerAt: () => ({ ...SIGNER, sign: () => Promise.reject(unavailable) }) } },
      'signing_failed: the credential could not be signed',
    ],
    [
      'VCI:V23 a signature that is not R and S',
      { deps: { signerAt: () => ({ ...SIGNER, sign: () => Buffer.alloc(70) }) } },
      'signature_malformed: ',
    ],
    [
      'a certificate that begins later',
      { deps: { signerAt: () => ({ ...SIGNER, certificateNotBefore: new Date(NOW.getTime() + 1_000) }) } },
      'signing_failed: ',
    ],
  ])('ends as FAILED and is credential_request_denied: %s', async (_what, options, details) => {
    const endpoint = open(options);
    await expect(endpoint.send()).rejects.toEqual(code('credential_request_denied'));
    const events = endpoint.events.map((event) => issuanceEvent.parse(event));
    expect(events).toEqual([
      { eventId: OFFER_ID, status: 'FAILED', offerId: OFFER_ID, errorDetails: expect.stringContaining(details) },
    ]);
    expect(endpoint.asked).not.toContain('complete');
    expect(endpoint.reported).toHaveLength(1);
    expect(JSON.stringify(events)).not.toMatch(/canary|secret/);
  });

  it('leaves the offer open where its type is not configured: another replica may know it', async () => {
    const types = new Map([...TYPES].filter(([id]) => id !== TYPE_ID));
    const endpoint = open({ deps: { types } });
    await expect(endpoint.send()).rejects.toEqual(code('credential_type_missing'));
    expect([endpoint.events, endpoint.reported]).toEqual([[], []]);
    expect(endpoint.asked).not.toContain('complete');
  });

  it('accepts no keys for a deferred credential where its type is not configured: it may demand that they are attested', async () => {
    const types = new Map([...TYPES].filter(([id]) => id !== TYPE_ID));
    const endpoint = open({ grant: { deferral: { state: 'waiting' } }, deps: { types } });
    await expect(endpoint.send()).rejects.toEqual(code('credential_type_missing'));
    expect([endpoint.events, endpoint.asked]).toEqual([[], ['token', 'proof']]);
  });

  it.each<[string, object]>([
    ['lack one that is mandatory', { given_name: 'Erika' }],
    ['have one that is not listed', { ...CLAIMS, canary_of_before: 'secret' }],
  ])('leaves the offer open, without a credential, where its claims %s', async (_what, claims) => {
    const endpoint = open({ grant: { claims: claims as JsonObject } });
    const refusal = endpoint.send();
    await expect(refusal).rejects.toEqual(code('credential_type_changed'));
    await expect(refusal).rejects.not.toThrow(/canary|secret/);
    expect([endpoint.events, endpoint.reported]).toEqual([[], []]);
    expect(endpoint.asked).not.toContain('reserve');
  });

  it.each(['sign', 'requireReady'] as const)(
    'VCI:V3 leaves the offer open while the device with the key is away (%s): the wallet may come back',
    async (member) => {
      const away = new ProcessingFailure('signer_unavailable', 'no answer');
      const types = new Map([...TYPES].map(([id, type]) => [id, { ...type, hasStatus: true }]));
      const reserved: string[] = [];
      const reserveStatusIndexes = async () => {
        reserved.push('an index');
        return [{ uri: 'https://c.example.com/list', idx: 7, listNumber: 3 }];
      };
      const signer = {
        ...SIGNER,
        [member]: () => {
          throw away;
        },
      };
      const marked: string[] = [];
      const markUnsigned = async (offerId: string) => void marked.push(offerId);
      const endpoint = open({ deps: { types, reserveStatusIndexes, signerAt: () => signer, markUnsigned } });
      await expect(endpoint.send()).rejects.toBe(away);
      expect(marked).toHaveLength(1);
      expect([endpoint.events, endpoint.reported]).toEqual([[], []]);
      expect(endpoint.asked).not.toContain('complete');
      // A device that is known to be away costs no entry of a status list.
      expect(reserved).toHaveLength(member === 'sign' ? 1 : 0);
    },
  );

  it('lets the failure of the database through when the end cannot be written, and does not answer a credential', async () => {
    const gone = new DomainError({ kind: 'unavailable', code: 'database_unavailable', detail: 'later' });
    const rejecting = () => Promise.reject(gone);
    await expect(open({ deps: { complete: rejecting } }).send()).rejects.toBe(gone);
    const failing = { fail: rejecting, signerAt: () => ({ ...SIGNER, sign: () => Buffer.alloc(70) }) };
    await expect(open({ deps: failing }).send()).rejects.toBe(gone);
  });

  it('VCI:Z9 reserves the index in the status list before it signs, and only with a key that may sign', async () => {
    const types = new Map([...TYPES].map(([id, type]) => [id, { ...type, hasStatus: true }]));
    const order: string[] = [];
    const sign = () => {
      order.push('signature');
      return Buffer.alloc(64);
    };
    const reserveStatusIndexes = async () => {
      order.push('reservation');
      return [{ uri: 'https://c.example.com/list', idx: 7, listNumber: 3 }];
    };
    await open({ deps: { types, reserveStatusIndexes, signerAt: () => ({ ...SIGNER, sign }) } }).send();
    expect(order).toEqual(['reservation', 'signature']);
    const signerAt = () => {
      throw fault;
    };
    await expect(open({ deps: { types, reserveStatusIndexes, signerAt } }).send()).rejects.toBeDefined();
    expect(order).toHaveLength(2);
  });

  it.each<[ErrorCode, string[]]>([
    ['database_unavailable', []],
    ['database_timeout', []],
    ['database_not_writable', []],
    ['database_outcome_unknown', []],
    ['service_timeout', []],
    ['status_indexes_exhausted', ['FAILED']],
  ])('VCI:Z9 signs nothing without an index: %s', async (failure, expected) => {
    const types = new Map([...TYPES].map(([id, type]) => [id, { ...type, hasStatus: true }]));
    const error = new DomainError({ kind: 'unavailable', code: failure, detail: 'no index' });
    let signatures = 0;
    const sign = () => {
      signatures += 1;
      return Buffer.alloc(64);
    };
    const deps = { types, reserveStatusIndexes: () => Promise.reject(error), signerAt: () => ({ ...SIGNER, sign }) };
    const marked: string[] = [];
    const endpoint = open({ deps: { ...deps, markUnsigned: async (offerId) => void marked.push(offerId) } });
    const wire = expected.length > 0 ? 'credential_request_denied' : failure;
    await expect(endpoint.send()).rejects.toEqual(code(wire));
    expect(endpoint.events.map(({ status }) => status)).toEqual(expected);
    expect([signatures, marked]).toEqual([0, []]);
  });

  it('says nothing of what the signer said, however the error is printed', async () => {
    const deps = { signerAt: () => ({ ...SIGNER, sign: () => Promise.reject(unavailable) }) };
    const error: unknown = await open({ deps })
      .send()
      .catch((caught: unknown) => caught);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
  });
});
