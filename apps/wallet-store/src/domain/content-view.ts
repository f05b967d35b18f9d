import { recordView, type ContentRecord } from './records';

/** The members that the answers for both kinds share; the name of the DID differs. */
function contentView(record: ContentRecord) {
  return {
    State: record.state,
    EntityDid: record.entityDid,
    WalletDid: record.walletDid,
    ...(record.holderDid === undefined ? {} : { HolderDid: record.holderDid }),
    Types: [...record.types],
    ...recordView(record),
    ...(record.body === undefined ? {} : { Body: record.body }),
  };
}

/** A credential as the wallet content API returns it, with its body if the record has one. */
export function credentialView(record: ContentRecord) {
  return {
    CredentialDid: record.did,
    ...(record.issuerDid === undefined ? {} : { IssuerDid: record.issuerDid }),
    ...contentView(record),
  };
}

/** A presentation as the wallet content API returns it, with its body if the record has one. */
export function presentationView(record: ContentRecord) {
  return { PresentationDid: record.did, ...contentView(record) };
}

export type CredentialAnswer = ReturnType<typeof credentialView>;
export type PresentationAnswer = ReturnType<typeof presentationView>;
