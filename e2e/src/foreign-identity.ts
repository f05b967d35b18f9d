import type { Authority, IssuedCertificate, IssueOptions } from '@vestibule/dev-pki';
import type { Attempt } from './checklist-bench';
import { x5cOf, type Identity } from './handmade-credential';

/** A leaf with the certificates that follow it in `x5c`. */
export const identityOf = (leaf: IssuedCertificate, ...above: readonly IssuedCertificate[]): Identity => ({
  chain: [leaf, ...above].map(({ certificate }) => certificate),
  key: leaf.privateKey,
});

/** A leaf that the last authority has issued, with the authorities as its chain; the first is the one that is not sent. */
export async function issueBelow(
  authorities: readonly [Authority, ...Authority[]],
  options: Partial<IssueOptions> = {},
): Promise<Identity> {
  const issuer = authorities.at(-1) as Authority;
  const leaf = await issuer.issue({ name: 'Issuer', dnsNames: ['issuer.example'], ...options });
  return identityOf(leaf, ...authorities.slice(1).reverse());
}

/** The right credential, issued by somebody else. */
export const issuedBy = ({ chain, key }: Identity): Attempt => ({
  credential: ({ header }) => ({ header: { ...header, x5c: x5cOf(chain) }, key }),
});
