import { EntitySchema } from 'typeorm';
import type { ContentKind } from '../../domain/content';
import type { ContentState } from '../../domain/records';
import { toEntity } from './key-owner.entity';
import { toTenant } from './tenant.entity';

/** A revision of a credential or presentation in a wallet; `body` and `source` are sealed. */
export interface ContentRow {
  did: string;
  revision: number;
  latest: boolean;
  tenantId: string;
  walletDid: string;
  entityDid: string;
  state: ContentState;
  issuerDid: string | null;
  holderDid: string | null;
  types: string[];
  body: Buffer;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
  /** Null in copies: of the same document in several wallets, only the one that was drafted there has a source. */
  source: Buffer | null;
  /** Without a `holderDid`: is it held by somebody else, because it came by a presentation or its holder has no DID? */
  presented: boolean;
}

function contentEntity(kind: ContentKind, name: string): EntitySchema<ContentRow> {
  const key = { primary: true, primaryKeyConstraintName: `${kind}_pkey` };
  return new EntitySchema<ContentRow>({
    name,
    tableName: kind,
    columns: {
      // The first three are the primary key, in this order.
      walletDid: { name: 'wallet_did', type: 'text', ...key },
      did: { type: 'text', ...key },
      revision: { type: 'integer', ...key },
      latest: { type: 'boolean' },
      tenantId: { name: 'tenant_id', type: 'uuid' },
      entityDid: { name: 'entity_did', type: 'text' },
      state: { type: 'text' },
      issuerDid: { name: 'issuer_did', type: 'text', nullable: true },
      holderDid: { name: 'holder_did', type: 'text', nullable: true },
      types: { type: 'text', array: true },
      body: { type: 'bytea' },
      labels: { type: 'jsonb', default: {} },
      annotations: { type: 'jsonb', default: {} },
      createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
      updatedAt: { name: 'updated_at', type: 'timestamptz' },
      source: { type: 'bytea', nullable: true },
      presented: { type: 'boolean', default: false },
    },
    foreignKeys: [
      toTenant(kind),
      toEntity(kind, 'entity_did'),
      {
        name: `${kind}_wallet_did_fkey`,
        target: 'Wallet',
        columnNames: ['walletDid', 'tenantId'],
        referencedColumnNames: ['did', 'tenantId'],
      },
    ],
    indices: [
      { name: `${kind}_latest`, columns: ['walletDid', 'did'], unique: true, where: 'latest' },
      { name: `${kind}_list`, columns: ['walletDid', 'createdAt', 'did'], where: 'latest' },
      { name: `${kind}_draft`, columns: ['tenantId', 'did'], unique: true, where: 'latest AND source IS NOT NULL' },
      ...(kind === 'credential'
        ? [
            {
              name: 'credential_drafts',
              columns: ['tenantId', 'createdAt', 'did'],
              where: 'latest AND source IS NOT NULL',
            },
          ]
        : []),
    ],
    checks: [
      { name: `${kind}_revision_check`, expression: 'revision >= 1' },
      { name: `${kind}_state_check`, expression: "state IN ('draft', 'issued', 'abandoned')" },
    ],
  });
}

/** The table of credentials. */
export const CredentialEntity = contentEntity('credential', 'Credential');
/** The table of presentations. */
export const PresentationEntity = contentEntity('presentation', 'Presentation');
/** The tables of the content of wallets. */
export const CONTENT_ENTITIES: Readonly<Record<ContentKind, EntitySchema<ContentRow>>> = {
  credential: CredentialEntity,
  presentation: PresentationEntity,
};
