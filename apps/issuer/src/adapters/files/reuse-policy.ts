import { z } from 'zod';

/** The methods A to D of ARF Annex II, topic 10, by which a wallet uses the credentials of a batch. */
const METHODS = ['once_only', 'limited_time', 'rotating-batch', 'per-relying-party'] as const;
type Method = (typeof METHODS)[number];

const needsBatch = (details: readonly Method[]) => details.some((method) => method !== 'limited_time');
const needsLifetime = (details: readonly Method[]) => details.some((method) => method !== 'once_only');

const option = z
  .strictObject({
    details: z
      .array(z.enum(METHODS))
      .min(1)
      .refine((details) => new Set(details).size === details.length, 'must not repeat a method'),
    batch_size: z.int().min(2).max(100).optional(),
    reissue_trigger_unused: z.int().min(0).optional(),
    /** Seconds. */
    reissue_trigger_lifetime_left: z.int().min(1).optional(),
  })
  .refine(
    ({ details, batch_size: size }) => needsBatch(details) === (size !== undefined),
    'needs batch_size for every method but limited_time, which alone has none',
  )
  .refine(
    ({ details, reissue_trigger_unused: unused }) => !details.includes('once_only') || unused !== undefined,
    'needs reissue_trigger_unused for once_only',
  )
  .refine(
    ({ reissue_trigger_unused: unused = -1, batch_size: size = 0 }) => unused < size,
    'needs a reissue_trigger_unused below batch_size',
  )
  .refine(
    ({ details, reissue_trigger_lifetime_left: left }) => !needsLifetime(details) || left !== undefined,
    'needs reissue_trigger_lifetime_left for every method but once_only',
  );

/**
 * How often a wallet may present the credentials of a type, and how many it gets together: `credential_reuse_policy` of
 * ETSI TS 119 472-3 §4.2.4.2 with the methods of the ARF, ordered by preference.
 */
export const reusePolicy = z.strictObject({
  id: z.literal('arf_annex_ii'),
  options: z.array(option).min(1).max(10),
});

/** Names of its members, for faults. */
export const REUSE_POLICY_MEMBERS = [
  'credential_reuse_policy',
  'id',
  'options',
  'details',
  'batch_size',
  'reissue_trigger_unused',
  'reissue_trigger_lifetime_left',
];

/** How many credentials one request may get at most under the policy: 1 where no option has a batch. */
export function mostCredentialsOf({ options }: z.infer<typeof reusePolicy>): number {
  return Math.max(...options.map(({ batch_size: size = 1 }) => size));
}

/**
 * What wallets learn about the registration of the issuer: `issuer_info` of ETSI TS 119 472-3 §4.2.3. A registration
 * certificate is a compact JWT, the registrar's data set an object; both are published as they are.
 */
export const issuerInfo = z
  .array(
    z.discriminatedUnion('format', [
      z.strictObject({
        format: z.literal('registration_cert'),
        data: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'must be a compact JWT'),
      }),
      z.strictObject({ format: z.literal('registrar_dataset'), data: z.record(z.string(), z.json()) }),
    ]),
  )
  .min(1)
  .max(10);
