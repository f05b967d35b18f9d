/** Names to which a format gives a special meaning at every depth. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ['id', 'W3C credentials'],
  ['type', 'W3C credentials'],
  ['_sd', 'SD-JWT'],
  ['_sd_alg', 'SD-JWT'],
  ['__proto__', 'JavaScript'],
  // The JSON-LD library calls this method of a context, so no context may have a term of its name.
  ['hasOwnProperty', 'JavaScript'],
]);

/** Names to which SD-JWT VC gives a special meaning at the top level (draft 13 §2.2.2). */
const AT_TOP: readonly string[] = ['iss', 'sub', 'iat', 'exp', 'nbf', 'jti', 'vct', 'aka_vcts', 'cnf', 'status'];

/**
 * Terms that the W3C context defines and protects at the top: a context of ours must leave them as they are
 * (VCDM 2.0 §B.1). `name` and `description` then mean what they mean in every credential.
 */
export const W3C_TERMS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'description',
  'digestMultibase',
  'digestSRI',
  'mediaType',
  'name',
]);

/** Types that the W3C context defines: no schema may be named like one of them. */
export const W3C_TYPES: ReadonlySet<string> = new Set([
  'VerifiableCredential',
  'EnvelopedVerifiableCredential',
  'VerifiablePresentation',
  'EnvelopedVerifiablePresentation',
  'JsonSchemaCredential',
  'JsonSchema',
  'BitstringStatusListCredential',
  'BitstringStatusList',
  'BitstringStatusListEntry',
  'DataIntegrityProof',
]);

/** Members of JSON Web Tokens that the W3C context defines; those of SD-JWT VC have a meaning there as well. */
const W3C_TOKEN_MEMBERS: readonly string[] = ['aud', 'jku', 'kid', 'x5u'];

/**
 * Which format has reserved a claim's name? One schema serves all of them, so none may be in its way. What the W3C context
 * protects at the top no context of ours can define there, so a credential with such a claim could never be signed.
 */
export function reservedBy(name: string, depth: number): string | undefined {
  const everywhere = EVERYWHERE.get(name);
  if (everywhere !== undefined || depth > 1) return everywhere;
  if (W3C_TYPES.has(name) || W3C_TOKEN_MEMBERS.includes(name)) return 'W3C credentials';
  return AT_TOP.includes(name) ? 'SD-JWT VC' : undefined;
}
