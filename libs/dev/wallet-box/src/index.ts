export { createWalletBox, UnknownCaseError, type WalletBox } from './box';
export { walletCommand } from './command';
export { ISSUANCE_CASES } from './issuance-cases';
export { type IssuerIdentity } from './mint';
export { PRESENTATION_CASES } from './presentation-cases';
export { type WalletReport } from './report';
export { hasAll, type StatusReference } from './surroundings';
export { signStatusList } from './status-list';
export { readIssuerIdentity } from './wallet-file';
